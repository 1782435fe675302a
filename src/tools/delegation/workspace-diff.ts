import { diffArguments, safeGitEnvironment } from "../../platform/safe-git.ts";
import type { Attempt } from "../../ports/index.ts";

const PATH = "/usr/local/bin:/usr/bin:/bin";
const MAX_BYTES = 200_000;

/** What has changed against the last commit. Empty where there is no repository, or no git. */
export async function workspaceDiff({ workspace, keep, confinement }: Attempt): Promise<string> {
  const git = { file: "git", args: diffArguments(), cwd: workspace.root, env: safeGitEnvironment(PATH) };
  const kept = keep.spawn(confinement.wrap(git));
  kept.endInput();
  const decoder = new TextDecoder();
  let text = "";
  for await (const bytes of kept.stdout) {
    if (text.length < MAX_BYTES) text += decoder.decode(bytes, { stream: true });
  }
  await kept.exited;
  return text.length > MAX_BYTES ? `${text.slice(0, MAX_BYTES)}\n[The rest of the diff is left out.]` : text;
}
