import { realpathSync } from "node:fs";
import { relative } from "node:path";
import { closedTo } from "../../domain/found-files.ts";
import { ownState } from "../../domain/own-state.ts";
import { folderIn, isInScopes, normalizePath } from "../../domain/scopes.ts";
import { CadreError } from "../../errors/index.ts";
import { type ChangesWish, changesIn, type RunThere } from "../../platform/git-changes.ts";
import { later } from "../../platform/later.ts";
import { safeGitEnvironment } from "../../platform/safe-git.ts";
import type { Attempt } from "../../ports/index.ts";
import type { TaskSpec } from "../../schema/index.ts";

const PATH = "/usr/local/bin:/usr/bin:/bin";
const MAX_COMPLAINT_BYTES = 4_000;
const TIMEOUT_MS = 20_000;

/** As much of an attempt as a git needs. */
interface GitAttempt extends Pick<Attempt, "keep" | "own" | "homes" | "isHome"> {
  readonly confinement: Pick<Attempt["confinement"], "wrap">;
  readonly workspace: Pick<Attempt["workspace"], "root">;
  readonly task: { readonly spec: Pick<TaskSpec, "policy" | "workspace"> };
}

/**
 * What has changed against the last commit, as a reviewer is told it. By a git that sees what the agent's programs see,
 * and of that only what the agent may read: where nothing holds programs, git sees everything.
 */
export async function workspaceDiff(attempt: GitAttempt, timeoutMs = TIMEOUT_MS): Promise<string> {
  const { root } = attempt.workspace;
  const isLate = new Promise<void>((resolve) => later(timeoutMs, resolve));
  try {
    const changes = await changesIn(root, runIn(attempt, isLate), wishOf(attempt));
    return changes.trim() === "" ? "(nothing has changed)" : changes;
  } catch (error) {
    if (error instanceof CadreError) return `(${error.message})`;
    throw error;
  }
}

function wishOf({ own, homes, isHome, workspace, task }: GitAttempt): ChangesWish {
  const { policy } = task.spec;
  const root = realPathOf(workspace.root);
  // Programs see their own part of Cadre's state without the file that has git ignore it. A plan is no change, either.
  const state = ownState([], homes, isHome);
  const isClosed = closedTo(policy, "Read");
  const nameOf = (path: string): string => normalizePath(`${folderIn(task.spec.workspace)}/${relative(root, path)}`);
  const isReadable = (path: string): boolean =>
    isInScopes(nameOf(path), policy.fs.read) || isInScopes(path, policy.fs.read);
  return {
    of: "folder",
    without: [own.folder],
    isState: (path) => state.at(nameOf(path)) !== undefined,
    isClosed: (path) => !isReadable(path) || isClosed(nameOf(path)),
  };
}

function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path; // git says what is wrong with it
  }
}

const runIn =
  ({ workspace, keep, confinement }: GitAttempt, isLate: Promise<void>): RunThere =>
  async (file, args, maxBytes, settings) => {
    const env = safeGitEnvironment(PATH, settings);
    const kept = keep.spawn(confinement.wrap({ file, args, cwd: workspace.root, env }));
    kept.endInput();
    const out = headOf(kept.stdout, maxBytes, "stop");
    const ended = Promise.all([out, headOf(kept.stderr, MAX_COMPLAINT_BYTES, "drain"), kept.exited]);
    // Nobody waits for the end of what has said enough, nor for that of what says nothing.
    const ran = await Promise.race([
      ended.then(([{ text, isCut }, errors, exited]) => ({
        code: exited.kind === "exited" ? exited.code : null,
        out: text,
        errors: exited.kind === "unstarted" ? exited.message : errors.text,
        isCut,
      })),
      out.then(({ text, isCut }) => (isCut ? { code: 0, out: text, errors: "", isCut } : new Promise<never>(() => {}))),
      isLate.then(() => undefined),
    ]);
    if (ran === undefined || ran.isCut) kept.signal("SIGTERM");
    return ran ?? { code: null, out: "", errors: "it took too long", isCut: false };
  };

async function headOf(stream: AsyncIterable<Uint8Array>, maxBytes: number, then: "stop" | "drain") {
  const kept: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    if (size < maxBytes) kept.push(chunk.subarray(0, maxBytes - size));
    size += chunk.length;
    if (size > maxBytes && then === "stop") break;
  }
  return { text: Buffer.concat(kept).toString("utf8"), isCut: size > maxBytes };
}
