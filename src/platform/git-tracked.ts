import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { SAFE_GIT_ARGUMENTS, safeGitEnvironment } from "./safe-git.ts";

const TIMEOUT_MS = 5000;
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/**
 * Names in a folder that git tracks: they came with the project, and nobody on this machine need have
 * written them. None, where there is no repository. Throws where git cannot say.
 */
export async function trackedNames(folder: string): Promise<ReadonlySet<string>> {
  if (!isInRepository(folder)) return new Set();
  const args = [...SAFE_GIT_ARGUMENTS, "ls-files", "-z", "--cached", "--", "."];
  const { stdout } = await promisify(execFile)("git", args, {
    cwd: folder,
    env: safeGitEnvironment(process.env["PATH"] ?? ""),
    timeout: TIMEOUT_MS,
    killSignal: "SIGKILL",
    maxBuffer: MAX_OUTPUT_BYTES,
  });
  return new Set(stdout.split("\0").filter((name) => name !== ""));
}

function isInRepository(folder: string): boolean {
  for (let above = folder; ; above = dirname(above)) {
    if (existsSync(join(above, ".git"))) return true;
    if (dirname(above) === above) return false;
  }
}
