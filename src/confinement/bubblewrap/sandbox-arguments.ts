// bubblewrap's arguments for one program. Never the whole machine read-only: a list of what is there.
import { existsSync } from "node:fs";
import { settingFiles, systemMounts } from "./system-mounts.ts";
import type { Mounts } from "./mounts.ts";
import type { ProgramLimits } from "./limits.ts";
import type { SandboxTools } from "./tools.ts";
import type { AttemptFiles } from "./attempt-files.ts";

export interface Sandbox {
  readonly tools: SandboxTools;
  readonly limits: ProgramLimits;
  readonly files: AttemptFiles;
  readonly mounts: Mounts;
  readonly cwd: string;
  readonly home: string;
  /** Whether it stays in the network that it is started in: one of the attempt's own, with our proxy in it. */
  readonly hasNetwork: boolean;
}

export function sandboxArguments({ tools, limits, files, mounts, cwd, home, hasNetwork }: Sandbox): string[] {
  const { uid, gid, user } = tools;
  const settings = Object.entries(settingFiles({ user, uid, gid, home }));
  const scratch = ["--size", String(limits.scratchBytes), "--tmpfs"];
  // No --new-session: custody has given the program a session, and has no terminal to give.
  const namespaces = ["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try", "--die-with-parent"];
  return [
    "--unshare-user",
    "--uid",
    String(uid),
    "--gid",
    String(gid),
    "--disable-userns",
    "--cap-drop",
    "ALL",
    ...namespaces,
    ...(hasNetwork ? [] : ["--unshare-net"]),
    "--hostname",
    "localhost",
    ...systemMounts(),
    ...settings.flatMap(([name, text]) => ["--ro-bind", files.write(name, text), `/etc/${name}`]),
    "--proc",
    "/proc",
    ...coveredProc(),
    "--dev",
    "/dev",
    ...scratch,
    "/dev/shm",
    ...scratch,
    "/tmp",
    ...mounts.arguments(),
    ...(mounts.shows(cwd) ? [] : ["--dir", cwd]),
    "--remount-ro",
    "/dev",
    "--remount-ro",
    "/",
    "--chdir",
    cwd,
  ];
}

/**
 * A worker that is root is root to the kernel in there, too, only without its capabilities; and files of /proc
 * that steer the machine ask for the user alone.
 */
const READ_ONLY = ["/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus", "/proc/fs"];
const CLOSED = ["/proc/kcore", "/proc/keys", "/proc/timer_list", "/proc/sched_debug", "/proc/latency_stats"];

const coveredProc = (): string[] => [
  ...READ_ONLY.filter(existsSync).flatMap((path) => ["--ro-bind", path, path]),
  ...CLOSED.filter(existsSync).flatMap((path) => ["--ro-bind", "/dev/null", path]),
];
