import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { machines } from "./kit.ts";

const NOBODY = 65_534;
const SETPRIV = "setpriv";
const FIXTURE = fileURLToPath(new URL("fixtures/as-user.ts", import.meta.url));

const asNobody = (...command: readonly string[]) => {
  const options = { encoding: "utf8", timeout: 60_000, cwd: "/", env: { PATH: process.env["PATH"] } } as const;
  const user = ["--reuid", String(NOBODY), "--regid", String(NOBODY), "--clear-groups", "--"];
  return spawnSync(SETPRIV, [...user, ...command], options);
};

/** Only root can become somebody else, who must be able to read these files. */
const others = machines.filter(({ user }) => user === "root" && asNobody("test", "-r", FIXTURE).status === 0);

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
