import type { Effect, TaskSpec } from "../schema/index.ts";
import { isOffered, type OfferedTool } from "./decide-call.ts";
import { givenIn } from "./given-tools.ts";
import { isNamedIn } from "./tool-rules.ts";

/** Delegation is one thing to the policy, whatever the tool is called. */
export const ruledAs = (name: string, tool: { readonly effect: Effect } | undefined): string =>
  tool?.effect === "delegate" ? "Task" : name;

/** Whether the policy could allow it: a tool that is always refused only costs turns. */
export const isOfferedTo = (
  { policy, definition }: Pick<TaskSpec, "policy" | "definition">,
  { name, effect }: OfferedTool,
): boolean => {
  const named = isNamedIn(givenIn(definition.tools), name);
  if (!named && (BY_NAME_ONLY.has(name) || (policy.modes.includes("plan") && BY_NAME_IN_PLAN.has(name)))) return false;
  return isOffered(policy, { name: ruledAs(name, { effect }), effect }, named);
};

/** Agents are told what is remembered and do not look it up by themselves, unless their definition lists these. */
const BY_NAME_ONLY: ReadonlySet<string> = new Set(["MemorySearch", "MemoryAdd"]);

/** Who only plans has Read, Glob, Grep, WebFetch and WebSearch; of our other tools what its definition lists and may be used. */
const BY_NAME_IN_PLAN: ReadonlySet<string> = new Set(["List", "TodoWrite", "AskUser", "HttpRequest"]);
