import { platform, release } from "node:os";

/** A program that has the kernel hold it to a list of files, and then becomes another one. */
export interface LandlockLauncher {
  readonly file: string;
  /** Whether the kernel knows all that the launcher asks for. Where it does not, the launcher says so at every start. */
  readonly isWhole: boolean;
}

/** Before it, any file could be emptied by its name, and no file be moved from one folder to another before 5.19. */
const FIRST_KERNEL = [6, 2] as const;

/** A string says why there is none. It is an optional dependency: some machines have no build of it. */
export async function findLauncher(): Promise<LandlockLauncher | string> {
  if (platform() !== "linux") return "Landlock is a part of Linux";
  if (!isRecent(release())) return `Landlock of this kernel (${release()}) holds too little: it needs 6.2`;
  try {
    const { launcherPath, probe } = await import("@deepseek-ai/node-addon-landlock-run");
    const file = launcherPath();
    const held = probe(file);
    if (held === "unusable") return "the kernel does not let Landlock be used, or its launcher is not installed";
    return { file, isWhole: held === "full" };
  } catch {
    return "the launcher of Landlock is not installed (npm left an optional dependency out)";
  }
}

export function isRecent(kernel: string): boolean {
  const [major = 0, minor = 0] = kernel.split(".").map((part) => Number.parseInt(part, 10) || 0);
  return major > FIRST_KERNEL[0] || (major === FIRST_KERNEL[0] && minor >= FIRST_KERNEL[1]);
}

export interface Grants {
  readonly read: readonly string[];
  readonly write: readonly string[];
}

/** The words that run those behind them held to these. A path that is not there keeps everything from running. */
export const landlockWords = ({ file }: LandlockLauncher, { read, write }: Grants): string[] => [
  file,
  ...read.flatMap((path) => ["--ro", path]),
  ...write.flatMap((path) => ["--rw", path]),
  "--",
];
