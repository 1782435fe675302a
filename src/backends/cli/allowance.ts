// A policy as a program gets it that does not ask before each call: which tools are open as a whole, which folders
// may be read and written. What is open only in part, or only after asking, is left out and said.
import { decideCall } from "../../domain/decide-call.ts";
import { normalizePath } from "../../domain/scopes.ts";
import { isRuled, parseRule } from "../../domain/tool-rules.ts";
import type { Effect, Policy } from "../../schema/index.ts";

/** Tools that a CLI may have, and the widest that each can do. */
export const EFFECTS = {
  Read: "read",
  Glob: "read",
  Grep: "read",
  List: "read",
  Write: "write",
  Edit: "write",
  Bash: "exec",
  WebFetch: "net",
  WebSearch: "net",
  TodoWrite: "none",
} as const satisfies Record<string, Effect>;
export type CliTool = keyof typeof EFFECTS;

export const isCliTool = (name: string): name is CliTool => Object.hasOwn(EFFECTS, name);

/** Whoever may not see a file must not find it by searching either. */
export const READING: readonly CliTool[] = ["Read", "Glob", "Grep", "List"];

const CLI_TOOLS: readonly CliTool[] = [
  "Read",
  "Glob",
  "Grep",
  "List",
  "Write",
  "Edit",
  "Bash",
  "WebFetch",
  "WebSearch",
  "TodoWrite",
];

export interface Allowance {
  /** Every use of these is allowed, in the whole project. */
  readonly tools: ReadonlySet<CliTool>;
  /** Where reading is allowed, as the policy names it. Empty where any rule speaks of single files. */
  readonly read: readonly string[];
  readonly write: readonly string[];
  readonly isNetworkOpen: boolean;
  /** Rules about some uses of a tool, by what they are about. */
  readonly partial: readonly { readonly tool: string; readonly rule: string; readonly stops: boolean }[];
  /** What would be asked about: without anybody to wait for, it is denied. */
  readonly asked: readonly CliTool[];
}

export function allowanceOf(policy: Policy): Allowance {
  const verdicts = new Map(CLI_TOOLS.map((tool) => [tool, verdictOn(policy, tool)]));
  const tools = new Set(CLI_TOOLS.filter((tool) => verdicts.get(tool) === "allow"));
  return {
    tools,
    read: policy.fs.read.filter((scope) => isOpen(policy, scope, READING)).map(normalizePath),
    write: policy.fs.write.filter((scope) => isOpen(policy, scope, ["Write", "Edit"])).map(normalizePath),
    isNetworkOpen: tools.has("WebFetch"),
    partial: partialRules(policy),
    asked: CLI_TOOLS.filter((tool) => verdicts.get(tool) === "ask"),
  };
}

function verdictOn(policy: Policy, tool: CliTool): "allow" | "ask" | "deny" {
  if (isStoppedInPart(policy, tool)) return "deny";
  return decideCall(policy, { tool, effect: EFFECTS[tool] }).verdict;
}

/** All of these tools, at the folder itself and for whatever lies in it. */
function isOpen(policy: Policy, scope: string, tools: readonly CliTool[]): boolean {
  const inside = `${scope === "/" ? "" : scope}/any-file`;
  return tools.every(
    (tool) =>
      !isStoppedInPart(policy, tool) &&
      [scope, inside].every((path) => decideCall(policy, { tool, effect: EFFECTS[tool], path }).verdict === "allow"),
  );
}

const isStoppedInPart = ({ tools }: Policy, tool: string): boolean =>
  tools.some(({ ask, deny }) => isRuled([...ask, ...deny].filter(isPartial), tool, "stop"));

const isPartial = (rule: string): boolean => parseRule(rule).spec !== null;

const partialRules = ({ tools }: Policy): Allowance["partial"] =>
  tools.flatMap(({ allow, ask, deny }) => [
    ...(allow ?? []).filter(isPartial).map((rule) => ({ tool: parseRule(rule).name, rule, stops: false })),
    ...[...ask, ...deny].filter(isPartial).map((rule) => ({ tool: parseRule(rule).name, rule, stops: true })),
  ]);

/** Rules that keep some files from being read. */
export const closingRules = ({ partial }: Allowance): readonly string[] =>
  partial.filter(({ tool, stops }) => stops && READING.some((one) => one === tool)).map(({ rule }) => rule);

/** What a program that cannot wait leaves out, in words. */
export function leftOut({ partial, asked }: Allowance, who: string): string[] {
  const rules = (stops: boolean) => [...new Set(partial.filter((one) => one.stops === stops).map(({ rule }) => rule))];
  const [passing, stopping] = [rules(false), rules(true)];
  const none = `${who} has no rules about single uses`;
  return [
    ...(passing.length === 0 ? [] : [`${none}, so these are not given: ${passing.join(", ")}`]),
    ...(stopping.length === 0 ? [] : [`${none}, so the whole tools are denied: ${stopping.join(", ")}`]),
    ...(asked.length === 0 ? [] : [`${who} cannot wait for an answer, so these are denied: ${asked.join(", ")}`]),
  ];
}
