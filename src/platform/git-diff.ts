import { execFile } from "node:child_process";
import { type ChangesWish, changesIn, type RunThere } from "./git-changes.ts";
import { safeGitEnvironment } from "./safe-git.ts";

const TIMEOUT_MS = 20_000;

/** What has changed in a folder's repository, by a git of ours. */
export const gitDiff = (folder: string, wish: ChangesWish): Promise<string> => changesIn(folder, runIn(folder), wish);

const runIn =
  (cwd: string): RunThere =>
  (file, args, maxBuffer, settings) =>
    new Promise((resolve) => {
      const env = safeGitEnvironment(process.env["PATH"] ?? "", settings);
      const options = { cwd, env, timeout: TIMEOUT_MS, killSignal: "SIGKILL", maxBuffer } as const;
      const child = execFile(file, args, options, (error, out, errors) => {
        if (error === null) return resolve({ code: 0, out, errors, isCut: false });
        if (error.code === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER") return resolve({ code: 0, out, errors, isCut: true });
        const code = typeof error.code === "number" ? error.code : null;
        const why = error.killed === true ? "it took too long" : error.message;
        resolve({ code, out, errors: errors === "" ? why : errors, isCut: false });
      });
      child.stdin?.end();
    });
