// `permissions` of Kiro 3.0. As with us a deny outranks an ask, an ask an allow; what no rule speaks of is asked.
import type { Json, JsonObject } from "../../../schema/index.ts";
import { isObject } from "../lenient/json-value.ts";
import { type Exception, isStricter, type PlainTool, stricterOf, type Verdict } from "../per-tool/tool-right.ts";

export interface CapabilityRule {
  readonly capability: string;
  readonly effect: Verdict;
  /** Undefined: everything. */
  readonly match: readonly string[] | undefined;
  readonly exclude: readonly string[];
}

/** Besides these, `all`, `builtin` and `mcp`. */
const CAPABILITIES: Readonly<Record<string, readonly PlainTool[]>> = {
  fs_read: ["Read", "List", "Grep", "Glob"],
  fs_write: ["Edit", "Write"],
  filesystem: ["Read", "List", "Grep", "Glob", "Edit", "Write"],
  shell: ["Bash"],
  web_fetch: ["WebFetch"],
  web_search: ["WebSearch"],
  web: ["WebFetch", "WebSearch"],
  todo_list: ["TodoWrite"],
};

/** What cannot be read denies. */
export function capabilityRules(permissions: Json | undefined): CapabilityRule[] {
  const rules = isObject(permissions) ? permissions["rules"] : permissions;
  return (Array.isArray(rules) ? rules : []).flatMap((rule) => (isObject(rule) ? [readRule(rule)] : []));
}

function readRule(rule: JsonObject): CapabilityRule {
  const { capability, effect } = rule;
  const isAllowing = effect === "allow";
  const match = rule["match"] === undefined ? undefined : texts(rule["match"]);
  const isAll = match?.some((one) => one === "*" || one === "**") ?? true;
  return {
    capability: typeof capability === "string" ? capability : isAllowing ? "none" : "all",
    effect: isAllowing || effect === "ask" ? effect : "deny",
    match: isAll ? undefined : match,
    exclude: texts(rule["exclude"]),
  };
}

const texts = (value: Json | undefined): string[] =>
  (Array.isArray(value) ? value : [value]).filter((item) => typeof item === "string");

export const isFor = ({ capability }: CapabilityRule, tool: PlainTool): boolean =>
  capability === "all" || capability === "builtin" || (CAPABILITIES[capability] ?? []).includes(tool);

export const isForMcp = ({ capability }: CapabilityRule): boolean => capability === "all" || capability === "mcp";

export interface RuleRight {
  readonly verdict: Verdict | undefined;
  readonly except: readonly Exception[];
}

/** What the rules for one tool come to; no verdict where none of them speaks of everything. */
export function rightByRules(rules: readonly CapabilityRule[], unsaid: Verdict): RuleRight {
  const whole = rules.filter(({ match }) => match === undefined);
  const verdict = whole.reduce<Verdict | undefined>(
    (all, { effect }) => (all === undefined ? effect : stricterOf(all, effect)),
    undefined,
  );
  const parts = rules.flatMap(({ match = [], effect }) => match.map((spec) => ({ spec, verdict: effect })));
  const left = rules.filter(({ effect }) => effect === "allow").flatMap(({ exclude }) => exclude);
  const said = [...parts, ...left.map((spec) => ({ spec, verdict: "ask" as const }))];
  // What is looser than what is said of everything does not count.
  const counting = said.filter(
    (one) => verdict === undefined || one.verdict === "deny" || isStricter(one.verdict, verdict),
  );
  return { verdict, except: [...counting, ...leftOut(whole, said, unsaid)] };
}

/** Where a single rule restricts everything, what it leaves out is up to the other rules. */
function leftOut(whole: readonly CapabilityRule[], parts: readonly Exception[], unsaid: Verdict): Exception[] {
  const [only] = whole;
  if (only === undefined || whole.length > 1 || only.effect === "allow") return [];
  const asksSome = parts.some((one) => one.verdict === "ask");
  return only.exclude.map((spec) => {
    const said = parts.filter((one) => one.spec === spec).map((one) => one.verdict);
    const verdict = said.reduce(stricterOf, said.length === 0 ? unsaid : "allow");
    return { spec, verdict: asksSome ? stricterOf(verdict, "ask") : verdict };
  });
}
