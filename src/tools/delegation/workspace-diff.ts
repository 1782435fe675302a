import { dirname } from "node:path";
import { isWithin } from "../../domain/scopes.ts";
import { CadreError } from "../../errors/index.ts";
import { changesIn, type RunThere } from "../../platform/git-changes.ts";
import { safeGitEnvironment } from "../../platform/safe-git.ts";
import type { Attempt } from "../../ports/index.ts";

const PATH = "/usr/local/bin:/usr/bin:/bin";
const MAX_COMPLAINT_BYTES = 4_000;

/** As much of an attempt as a git needs. */
interface GitAttempt extends Pick<Attempt, "keep" | "confinement" | "own"> {
  readonly workspace: Pick<Attempt["workspace"], "root">;
}

/** What has changed against the last commit, as a reviewer is told it. By a git that sees what the agent's programs see. */
export async function workspaceDiff(attempt: GitAttempt): Promise<string> {
  const { root } = attempt.workspace;
  try {
    const changes = await changesIn(root, runIn(attempt), { of: "folder", without: [stateIn(attempt)] });
    return changes.trim() === "" ? "(nothing has changed)" : changes;
  } catch (error) {
    if (error instanceof CadreError) return `(${error.message})`;
    throw error;
  }
}

/** Programs see only their own part of Cadre's state, without the file that has git ignore it. */
function stateIn({ own, workspace }: GitAttempt): string {
  const home = dirname(own.folder);
  return home !== workspace.root && isWithin(home, workspace.root) ? home : own.folder;
}

const runIn =
  ({ workspace, keep, confinement }: GitAttempt): RunThere =>
  async (file, args, maxBytes) => {
    const kept = keep.spawn(confinement.wrap({ file, args, cwd: workspace.root, env: safeGitEnvironment(PATH) }));
    kept.endInput();
    const [out, errors, exited] = await Promise.all([
      headOf(kept.stdout, maxBytes),
      headOf(kept.stderr, MAX_COMPLAINT_BYTES),
      kept.exited,
    ]);
    const code = exited.kind === "exited" ? exited.code : null;
    const why = exited.kind === "unstarted" ? exited.message : errors.text;
    return { code, out: out.text, errors: why, isCut: out.isCut };
  };

async function headOf(stream: AsyncIterable<Uint8Array>, maxBytes: number) {
  const kept: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    if (size < maxBytes) kept.push(chunk.subarray(0, maxBytes - size));
    size += chunk.length;
  }
  return { text: Buffer.concat(kept).toString("utf8"), isCut: size > maxBytes };
}
