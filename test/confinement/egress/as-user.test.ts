import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { machines } from "./kit.ts";

const NOBODY = 65_534;
const SETPRIV = "setpriv";
const FIXTURE = fileURLToPath(new URL("fixtures/as-user.ts", import.meta.url));

const asNobody = (...command: readonly string[]) => {
  const options = { encoding: "utf8", timeout: 60_000, cwd: "/" } as const;
  const user = ["--reuid", String(NOBODY), "--regid", String(NOBODY), "--clear-groups", "--"];
  return spawnSync(SETPRIV, [...user, ...command], options);
};

/** Only root can become somebody else, who must be able to read these files. */
const others = machines.filter(({ user }) => user === "root" && asNobody("test", "-r", FIXTURE).status === 0);

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
