import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { asNobody, canBeRunByNobody, NOBODY } from "../as-nobody.ts";
import { machines } from "./kit.ts";

const FIXTURE = fileURLToPath(new URL("fixtures/as-user.ts", import.meta.url));

const others = machines.filter(({ user }) => user === "root" && canBeRunByNobody(FIXTURE));

describe.each(others)("the network of an attempt whose worker is not root", () => {
  it("is made, entered and held to its policy without any right", { timeout: 60_000 }, () => {
    const { stdout, stderr } = asNobody(process.execPath, FIXTURE);
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toEqual({
      before: `${NOBODY} 200 403 ECONNREFUSED`,
      after: `${NOBODY} 200`,
      refused: ["evil.test"],
      tier: "namespace",
    });
  });
});
