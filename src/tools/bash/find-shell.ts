import { findProgram } from "../../platform/find-program.ts";

export interface Shell {
  readonly file: string;
  /** Before the script. */
  readonly options: readonly string[];
  /** It speaks what the grammar reads. */
  readonly isBash: boolean;
  /** What is put before it, so that whatever does not end when it is told to is ended soon after. */
  readonly supervisor: readonly string[];
}

const FOLDERS = ["/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"];
const KILL_AFTER = "2";

/** From the system's own folders: what the policy lets through of PATH may hold other programs of these names. */
export function findShell(folders: readonly string[] = FOLDERS): Shell | undefined {
  const find = (name: string): string | undefined => {
    const found = findProgram(name, { cwd: "/", path: folders.join(":") });
    return found.ok ? found.file : undefined;
  };
  const timeout = find("timeout");
  // Told to wait for ever, it only passes signals on, and kills what does not follow.
  const supervisor = timeout === undefined ? [] : [timeout, "-k", KILL_AFTER, "0"];
  const bash = find("bash");
  if (bash !== undefined) return { file: bash, options: ["--noprofile", "--norc"], isBash: true, supervisor };
  const sh = find("sh");
  return sh === undefined ? undefined : { file: sh, options: [], isBash: false, supervisor };
}
