// A program of somebody who has no rights at all. Only root can become somebody else.
import { spawnSync } from "node:child_process";

export const NOBODY = 65_534;
const SETPRIV = "setpriv";

export const asNobody = (...command: readonly string[]) => {
  const options = { encoding: "utf8", timeout: 60_000, cwd: "/", env: { PATH: process.env["PATH"] } } as const;
  const user = ["--reuid", String(NOBODY), "--regid", String(NOBODY), "--clear-groups", "--"];
  return spawnSync(SETPRIV, [...user, ...command], options);
};

/** Who runs a file of ours has to be able to read it. */
export const canBeRunByNobody = (file: string): boolean => asNobody("test", "-r", file).status === 0;
