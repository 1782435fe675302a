// What an agent may do with one tool. The ground on which our rules and those of programs with permissions per tool
// meet: theirs have other orders of precedence, ours puts a deny over an ask over an allow.
import { DELEGATION_TOOLS, TOOL_EFFECTS, type ToolName, TOOLS } from "../../../domain/tool-names.ts";
import { decideCall } from "../../../domain/decide-call.ts";
import { BASELINE } from "../../../domain/policy.ts";
import type { Decision, PermissionMode } from "../../../schema/index.ts";

export type Verdict = Decision["verdict"];

export interface Exception {
  /** What stands in the parentheses of a rule: `git diff *`. For tools of MCP servers the whole rule. */
  readonly spec: string;
  readonly verdict: Verdict;
}

/** As `verdict` says, except where an exception fits; of several that fit the strictest holds. */
export interface ToolRight {
  readonly verdict: Verdict;
  readonly except: readonly Exception[];
}

const RANK: Readonly<Record<Verdict, number>> = { deny: 0, ask: 1, allow: 2 };

export const isStricter = (a: Verdict, b: Verdict): boolean => RANK[a] < RANK[b];
export const stricterOf = (a: Verdict, b: Verdict): Verdict => (isStricter(a, b) ? a : b);

/** Every tool but those that delegate: these are never taken from another program's file, nor written to one. */
export type PlainTool = Exclude<ToolName, "Task" | "TaskOutput" | "TaskStop">;

export const PLAIN_TOOLS: readonly PlainTool[] = TOOLS.filter((tool): tool is PlainTool => !DELEGATION_TOOLS.has(tool));

/** What a permission mode alone says of a tool, wherever it may write and whatever it may call. */
export const wordOfMode = (mode: PermissionMode, tool: PlainTool): Verdict =>
  decideCall({ ...BASELINE, modes: [mode], network: true }, { tool, effect: TOOL_EFFECTS[tool], path: "." }).verdict;

export const isWriting = (tool: PlainTool): boolean => TOOL_EFFECTS[tool] === "write";
export const isReading = (tool: PlainTool): boolean => TOOL_EFFECTS[tool] === "read" || TOOL_EFFECTS[tool] === "none";
