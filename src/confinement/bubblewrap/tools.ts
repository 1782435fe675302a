import { arch, userInfo } from "node:os";
import { findProgram } from "../../platform/find-program.ts";
import { workerEnvironment } from "../../platform/process-environment.ts";
import type { Machine } from "./seccomp/syscalls.ts";

/** What this machine has for a sandbox. */
export interface SandboxTools {
  readonly bwrap: string;
  readonly shell: string;
  /** Undefined: we do not know this machine's system calls, and filter none. */
  readonly machine: Machine | undefined;
  readonly isRoot: boolean;
  /** Who programs are in there: never root. */
  readonly user: string;
  readonly uid: number;
  readonly gid: number;
}

const NOT_ROOT = { user: "agent", uid: 1000, gid: 1000 };

/** By their paths as they are now; a string says what is missing. */
export function findTools(): SandboxTools | string {
  const path = workerEnvironment()["PATH"];
  const bwrap = findProgram("bwrap", { cwd: "/", path });
  if (!bwrap.ok) return "bubblewrap is not installed";
  const shell = findProgram("sh", { cwd: "/", path: "/bin:/usr/bin" });
  if (!shell.ok) return "there is no shell in /bin";
  const { uid, gid, username: user } = userInfo();
  const machine = arch();
  return {
    bwrap: bwrap.file,
    shell: shell.file,
    machine: machine === "x64" || machine === "arm64" ? machine : undefined,
    isRoot: uid === 0,
    ...(uid === 0 ? NOT_ROOT : { user, uid, gid }),
  };
}
