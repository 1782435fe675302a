import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { invalidInput } from "../errors/index.ts";
import { diffArguments, safeGitEnvironment } from "./safe-git.ts";

const TIMEOUT_MS = 20_000;
const MAX_OUTPUT_BYTES = 4 * 1024 * 1024;

/** What has changed in a folder's repository, against its last commit or the one that is named. */
export async function gitDiff(folder: string, against?: string): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)("git", diffArguments(against), {
      cwd: folder,
      env: safeGitEnvironment(process.env["PATH"] ?? ""),
      timeout: TIMEOUT_MS,
      killSignal: "SIGKILL",
      maxBuffer: MAX_OUTPUT_BYTES,
    });
    return stdout;
  } catch (cause) {
    const stderr = cause instanceof Error && "stderr" in cause ? String(cause.stderr).trim().split("\n")[0] : "";
    throw invalidInput(`git cannot say what has changed in ${folder}${stderr === "" ? "" : `: ${stderr}`}`, {
      cause,
      hint: "It must be a repository with at least one commit.",
    });
  }
}
