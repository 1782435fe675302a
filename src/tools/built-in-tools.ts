// All tools of our own, as one box. Each family is opened for the attempt, and closed with it.
import { isOfferedTo } from "../domain/offered-tools.ts";
import type { Attempt, AttemptScope, Clock, Memory, Registry, Toolbox, ToolSet } from "../ports/index.ts";
import type { Effect, TaskSpec } from "../schema/index.ts";
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

/** Tools that are opened together, and what the policy has to know of each before that. */
interface Family {
  readonly tools: Readonly<Record<string, Effect>>;
  /** What comes with them, and is never there alone. */
  readonly beside?: readonly string[] | undefined;
  readonly open: Toolbox;
}

/** Opened where the policy could allow any of it: opening costs files, schemas and a look at all agents. */
export const builtInTools = (parts: BuiltInParts, others: readonly Toolbox[] = []): Toolbox => {
  const families = familiesOf(parts);
  const own = new Set(families.flatMap(({ tools, beside = [] }) => [...Object.keys(tools), ...beside]));
  const theirs = [...others, manifestTools(parts)].map((box) => withoutNames(box, own));
  return async (attempt, scope) => {
    const ours = families.filter((family) => isAnyOffered(family, attempt.task.spec)).map(({ open }) => open);
    return joined([...ours, ...theirs], attempt, scope);
  };
};

const familiesOf = (parts: BuiltInParts): readonly Family[] => [
  {
    tools: { Read: "read", Write: "write", Edit: "write", Glob: "read", Grep: "read", List: "read", TodoWrite: "none" },
    open: fileTools(parts),
  },
  { tools: { Bash: "exec", Task: "delegate" }, beside: ["TaskOutput", "TaskStop"], open: shellAndTasks(parts) },
  { tools: { WebFetch: "net", WebSearch: "net", HttpRequest: "net" }, open: webTools(parts) },
  { tools: { MemorySearch: "none", MemoryAdd: "none" }, open: memoryTools(parts) },
  { tools: { AskUser: "none" }, open: askUserTools() },
];

const isAnyOffered = ({ tools }: Family, spec: TaskSpec): boolean =>
  Object.entries(tools).some(([name, effect]) => isOfferedTo(spec, { name, effect }));

/** Nobody's tool takes the place of one of ours, opened or not. */
const withoutNames =
  (box: Toolbox, names: ReadonlySet<string>): Toolbox =>
  async (attempt, scope) => {
    const set = await box(attempt, scope);
    const tools = set.tools.filter(({ name }) => !names.has(name));
    const { missing, agentsFound } = set;
    return { tools, missing, agentsFound, [Symbol.asyncDispose]: () => set[Symbol.asyncDispose]() };
  };

/** What runs in the background is looked after by one pair of tools, be it a command or a task. */
const shellAndTasks =
  (parts: BuiltInParts): Toolbox =>
  async (attempt: Attempt, scope: AttemptScope) => {
    const bash = await bashTools(parts)(attempt, scope);
    const delegation = await delegationTools(parts.registry, bash.shells, attempt, scope);
    return {
      tools: [...bash.tools, ...delegation.tools],
      agentsFound: delegation.agentsFound,
      [Symbol.asyncDispose]: () => bash[Symbol.asyncDispose](),
    };
  };

/** Of each name, the first. */
async function joined(boxes: readonly Toolbox[], attempt: Attempt, scope: AttemptScope): Promise<ToolSet> {
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
  const missing = opened.find((set) => set.missing !== undefined)?.missing;
  const agentsFound = opened.find((set) => set.agentsFound !== undefined)?.agentsFound;
  return { tools: [...byName.values()].toReversed(), missing, agentsFound, [Symbol.asyncDispose]: close };
}
