import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { asNobody, canBeRunByNobody, NOBODY } from "./as-nobody.ts";
import { machines } from "./kit.ts";

const FIXTURE = fileURLToPath(new URL("fixtures/as-user.ts", import.meta.url));

const others = machines.filter(({ user }) => user === "root" && canBeRunByNobody(FIXTURE));

describe.each(others)("a sandbox whose worker is not root", () => {
  it("holds without any right, and bounds processes and memory by itself", { timeout: 60_000 }, () => {
    const { stdout, stderr } = asNobody(process.execPath, FIXTURE);
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toEqual({
      label: { commands: "os", fileTools: "policy", limits: "rlimit" },
      who: `${NOBODY}`,
      outside: "",
      written: "in",
      hasAll: false,
      isBounded: true,
      taken: ["all", ""],
    });
  });
});
