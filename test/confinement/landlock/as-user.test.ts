import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { foundLandlock } from "./kit.ts";

const NOBODY = 65_534;
const SETPRIV = "setpriv";
const FIXTURE = fileURLToPath(new URL("fixtures/as-user.ts", import.meta.url));

const asNobody = (...command: readonly string[]) => {
  const options = { encoding: "utf8", timeout: 60_000, cwd: "/", env: { PATH: process.env["PATH"] } } as const;
  const user = ["--reuid", String(NOBODY), "--regid", String(NOBODY), "--clear-groups", "--"];
  return spawnSync(SETPRIV, [...user, ...command], options);
};

/** Only root can become somebody else, who must be able to read these files. */
const isPossible =
  foundLandlock.kind === "parts" &&
  foundLandlock.parts.tools.uid === 0 &&
  foundLandlock.parts.tools.namespaces !== undefined &&
  asNobody("test", "-r", FIXTURE).status === 0;

describe.runIf(isPossible)("Landlock for a worker that is not root", () => {
  it("holds files, protected ones too, and closes the network", { timeout: 60_000 }, () => {
    const { stdout, stderr } = asNobody(process.execPath, FIXTURE);
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toEqual({
      commands: "os",
      said: [String(NOBODY), "3"],
      config: "whole",
      inside: [".git", "in"],
      outside: ["project", "secret"],
    });
  });
});
