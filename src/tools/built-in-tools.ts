// All tools of our own, as one box. Each family is opened for the attempt, and closed with it.
import type { Attempt, AttemptScope, Clock, Memory, Registry, Toolbox, ToolSet } from "../ports/index.ts";
import { askUserTools } from "./ask-user/ask-user-tools.ts";
import { type BashParts, bashTools } from "./bash/bash-tools.ts";
import { delegationTools } from "./delegation/delegation-tools.ts";
import { type FileToolParts, fileTools } from "./files/file-tools.ts";
import { type ManifestParts, manifestTools } from "./manifest/manifest-tools.ts";
import { memoryTools } from "./memory/memory-tools.ts";
import type { WebParts } from "./web/web-parts.ts";
import { webTools } from "./web/web-tools.ts";

export interface BuiltInParts extends FileToolParts, BashParts, WebParts, ManifestParts {
  readonly clock: Clock;
  readonly memory: Memory;
  readonly registry: Registry;
}

export const builtInTools = (parts: BuiltInParts, others: readonly Toolbox[] = []): Toolbox =>
  joined([
    fileTools(parts),
    shellAndTasks(parts),
    webTools(parts),
    memoryTools(parts),
    askUserTools(),
    ...others,
    manifestTools(parts),
  ]);

/** What runs in the background is looked after by one pair of tools, be it a command or a task. */
const shellAndTasks =
  (parts: BuiltInParts): Toolbox =>
  async (attempt: Attempt, scope: AttemptScope) => {
    const bash = await bashTools(parts)(attempt, scope);
    const delegation = await delegationTools(parts.registry, bash.shells, attempt, scope);
    return {
      tools: [...bash.tools, ...delegation.tools],
      [Symbol.asyncDispose]: () => bash[Symbol.asyncDispose](),
    };
  };

/** Of each name, the first: nobody's tool takes the place of one of ours. */
const joined =
  (boxes: readonly Toolbox[]): Toolbox =>
  async (attempt, scope) => {
    const opened: ToolSet[] = [];
    const close = async (): Promise<void> => {
      const closed = await Promise.allSettled(opened.map((set) => set[Symbol.asyncDispose]()));
      const failed = closed.find((one) => one.status === "rejected");
      if (failed?.status === "rejected") throw failed.reason;
    };
    try {
      for (const box of boxes) opened.push(await box(attempt, scope));
    } catch (error) {
      await close();
      throw error;
    }
    const byName = new Map(
      opened
        .flatMap(({ tools }) => tools)
        .toReversed()
        .map((tool) => [tool.name, tool]),
    );
    return { tools: [...byName.values()].toReversed(), [Symbol.asyncDispose]: close };
  };
