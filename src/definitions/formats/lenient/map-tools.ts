// Lists of tools, from their names to ours and back. A list that allows never grows on the way, one that denies
// never shrinks.
import {
  DELEGATION_TOOLS,
  namesWithin,
  nameIn,
  readMcpName,
  type ToolDialect,
  toolsCalled,
  writeMcpName,
} from "../../../domain/tool-names.ts";
import type { Remark } from "../format.ts";
import { inOneLine, kept, mapped, narrowed } from "./settings.ts";

export interface OurTools {
  readonly tools: readonly string[];
  /** Words as written there that our list cannot bring back by itself: to be kept aside, and given to the writer. */
  readonly aside: readonly string[];
  readonly remarks: readonly Remark[];
}

/** `Bash(git diff *)` is the tool `Bash` and the rest of the rule. Claude's older `Bash(git:*)` is `Bash(git *)`. */
function splitRule(word: string): { readonly name: string; readonly rest: string } {
  const [, name = word, spec] = /^([^()]+)\((.*)\)$/s.exec(word) ?? [];
  return { name: name.trim(), rest: spec === undefined ? "" : `(${spec.replace(/:\*$/, " *")})` };
}

/** What one word of theirs is here; undefined where it is nothing. */
function ours(dialect: ToolDialect, word: string): readonly string[] | undefined {
  const { name, rest } = splitRule(word);
  const tools = toolsCalled(dialect, name);
  if (tools !== undefined) return tools.map((tool) => `${tool}${rest}`);
  const mcp = readMcpName(dialect, name);
  const rule = mcp === undefined ? undefined : writeMcpName("cadre", mcp);
  return rule === undefined || readMcpName("cadre", rule) === undefined ? undefined : [rule];
}

const isDelegation = (rule: string): boolean => DELEGATION_TOOLS.has(splitRule(rule).name);
const isRule = (word: string): boolean => splitRule(word).rest !== "";

/** For an allow list. `*` stays. Delegation is never taken from another program's file. */
export function ourAllowed(dialect: ToolDialect, words: readonly string[], field = "tools"): OurTools {
  const tools: string[] = [];
  const aside: string[] = [];
  const remarks: Remark[] = [];
  const unknown: string[] = [];
  const delegating: string[] = [];
  for (const word of words) {
    const found = word === "*" ? ["*"] : ours(dialect, word);
    if (found === undefined || isRule(word) || found.some(isDelegation)) aside.push(word);
    if (found === undefined) unknown.push(word);
    else if (found.some(isDelegation)) delegating.push(word);
    else tools.push(...found);
  }
  if (delegating.length > 0) {
    const names = delegating.join(", ");
    remarks.push(narrowed(field, inOneLine(`left out, since no agent from another program may delegate: ${names}`)));
  }
  if (unknown.length > 0) remarks.push(kept(field, inOneLine(`not known here: ${unknown.join(", ")}`)));
  return { tools: [...new Set(tools)], aside, remarks: [...remarks, ...renamed(dialect, words, field)] };
}

/**
 * For a deny list. A name that nobody knows here stays in it, since the program that knows it may run the agent. A
 * rule (`Bash(rm *)`) takes the whole tool, unless `keepsRules`: most programs look only at the name.
 */
export function ourDenied(
  dialect: ToolDialect,
  words: readonly string[],
  field = "tools",
  { keepsRules = false }: { readonly keepsRules?: boolean } = {},
): OurTools {
  const rules = keepsRules ? [] : words.filter(isRule);
  const plain = words.map((word) => (keepsRules ? word : splitRule(word).name));
  const tools = plain.flatMap((word) => (word === "*" ? ["*"] : withItsLike(ours(dialect, word) ?? [word])));
  const whole = narrowed(field, inOneLine(`the whole tool is taken away, not only a part of it: ${rules.join(", ")}`));
  const remarks = rules.length === 0 ? [] : [whole];
  return { tools: [...new Set(tools)], aside: rules, remarks: [...remarks, ...renamed(dialect, plain, field)] };
}

/** Who may not fetch pages may not call addresses by our own tool for it, which no other program has. */
const withItsLike = (tools: readonly string[]): readonly string[] =>
  tools.includes("WebFetch") ? [...tools, "HttpRequest"] : tools;

function renamed(dialect: ToolDialect, words: readonly string[], field: string): Remark[] {
  const pairs = words.flatMap((word) => {
    const found = ours(dialect, word);
    if (found === undefined || found.some(isDelegation) || (found.length === 1 && found[0] === word)) return [];
    return [`${word} is ${found.join(" and ")}`];
  });
  return pairs.length === 0 ? [] : [mapped(field, inOneLine(pairs.join(", ")))];
}

/**
 * For an allow list: only names that give nothing more than is allowed. What has no such name is left out, and so
 * is a rule, unless the file that the agent came from had it (`aside`).
 */
export function theirAllowed(dialect: ToolDialect, rules: readonly string[], aside: readonly string[] = []): string[] {
  const names = namesWithin(dialect, rules);
  const all = new Set(rules);
  const written = rules.flatMap((rule) => (rule === "*" ? [rule] : (names.get(rule) ?? theirMcp(dialect, rule) ?? [])));
  const back = aside.filter((word) => {
    const found = ours(dialect, word);
    return found === undefined || found.some(isDelegation) || found.every((rule) => all.has(rule));
  });
  return [...new Set([...written, ...back])];
}

/** For a deny list: the narrowest name that takes it away, and names that nobody knows here as they are. */
export function theirDenied(dialect: ToolDialect, rules: readonly string[], aside: readonly string[] = []): string[] {
  const all = new Set(rules);
  const back = aside.filter((word) => taken(dialect, word).every((tool) => all.has(tool)));
  const said = new Set(back.flatMap((word) => taken(dialect, word)));
  const names = rules
    .filter((rule) => !said.has(rule) && !(rule === "HttpRequest" && all.has("WebFetch")))
    .map((rule) => {
      const { name } = splitRule(rule);
      return nameIn(dialect, name) ?? theirMcp(dialect, name) ?? name;
    });
  return [...new Set([...names, ...back])];
}

/** What a word of a deny list takes away. */
const taken = (dialect: ToolDialect, word: string): readonly string[] => {
  const { name } = splitRule(word);
  return ours(dialect, name) ?? [name];
};

function theirMcp(dialect: ToolDialect, name: string): string | undefined {
  const mcp = readMcpName("cadre", name);
  return mcp === undefined ? undefined : writeMcpName(dialect, mcp);
}
