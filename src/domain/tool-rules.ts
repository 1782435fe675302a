// Rules about tools: `Name`, or `Name(spec)` for some uses of it. A rule that lets something through is read
// narrowly, one that stops something widely: where a spec is not understood, the first never holds and the
// second always does.
import { matchesText } from "./globs.ts";
import { DELEGATION_TOOLS } from "./tool-names.ts";
import { commandFits, stopsOneOf } from "./command-rules.ts";
import { pathFits } from "./path-rules.ts";

/** What a rule can look at. */
export interface RuledUse {
  readonly tool: string;
  readonly path?: string | undefined;
  readonly host?: string | undefined;
  readonly agent?: string | undefined;
  readonly commands?: readonly string[] | null | undefined;
  /**
   * What may be run beside these, as far as it is known: only rules that stop something look at it. Without commands it
   * is all that may be run: too little is proven to let it through, and enough to know that a rule is about something else.
   */
  readonly mayRun?: readonly string[] | undefined;
}

/** `pass`: the rule lets a use through. `stop`: it denies it or has it asked. */
export type RuleSide = "pass" | "stop";

export interface ToolRule {
  readonly text: string;
  readonly name: string;
  /** `null`: every use of the tool. Undefined: there is a spec, and it is malformed. */
  readonly spec: string | null | undefined;
  /** `Read` is about the tool alone, `Read(*)` about all files. */
  readonly isBare: boolean;
}

export function parseRule(text: string): ToolRule {
  const rule = text.trim();
  const open = rule.indexOf("(");
  if (open === -1) return { text, name: rule, spec: null, isBare: true };
  const name = rule.slice(0, open).trim();
  const spec = rule.endsWith(")") ? rule.slice(open + 1, -1).trim() : "";
  if (spec === "") return { text, name, spec: undefined, isBare: false };
  return { text, name, spec: spec === "*" || spec === "**" ? null : spec, isBare: false };
}

/** Whether a rule is about this tool at all. A wildcard never gives the right to delegate. */
function isAbout({ name, isBare }: ToolRule, tool: string, side: RuleSide): boolean {
  if (name === tool) return true;
  if (side === "stop" && !isBare && (COVERS[name] ?? []).includes(tool)) return true;
  if (side === "pass" && DELEGATION_TOOLS.has(tool)) return false;
  if (name.includes("*")) return matchesText(name, tool);
  // A server's name alone means all of its tools.
  return name.startsWith("mcp__") && tool.startsWith(`${name}__`);
}

/** A file that may not be read must not be found by searching either. */
const COVERS: Readonly<Record<string, readonly string[]>> = {
  Read: ["Glob", "Grep", "List"],
  Edit: ["Write"],
};

/** Whether a rule of this list is about the tool, whatever its spec. */
export const isRuled = (rules: readonly string[], tool: string, side: RuleSide): boolean =>
  rules.some((text) => isAbout(parseRule(text), tool, side));

/** Whether a list names the tool itself, and not by a wildcard. */
export const isNamedIn = (rules: readonly string[], tool: string): boolean =>
  rules.some((text) => parseRule(text).name === tool);

/** The rule that stops every use of the tool, where one does. */
export const wholeStop = (rules: readonly string[], tool: string): string | undefined =>
  rules.find((text) => {
    const rule = parseRule(text);
    return isAbout(rule, tool, "stop") && (rule.spec === null || !isUnderstood(rule, tool));
  });

export type StopMatch =
  | { readonly kind: "yes" | "unsure"; readonly rule: string }
  /** No rule of the list speaks about it. */
  | { readonly kind: "no" };

/** The first rule of the list that stops this use. `unsure`: it might, and the command is not understood. */
export function stoppedBy(rules: readonly string[], use: RuledUse): StopMatch {
  const about = rules.map(parseRule).filter((rule) => isAbout(rule, use.tool, "stop"));
  if (about.length === 0) return { kind: "no" };
  const judge = use.tool === "Bash" ? stopsOneOf([...(use.commands ?? []), ...(use.mayRun ?? [])]) : undefined;
  const words = about.map((rule) => ({ rule, word: stops(rule, use, judge) }));
  const yes = words.find(({ word }) => word === "yes")?.rule;
  if (yes !== undefined) return { kind: "yes", rule: yes.text };
  const unsure = isOpaque(use) ? about[0] : words.find(({ word }) => word === "unsure")?.rule;
  return unsure === undefined ? { kind: "no" } : { kind: "unsure", rule: unsure.text };
}

type Word = "yes" | "unsure" | "no";

function stops(rule: ToolRule, use: RuledUse, judge: ((spec: string) => Word) | undefined): Word {
  const { spec } = rule;
  if (spec === undefined || spec === null || !isUnderstood(rule, use.tool)) return "yes";
  if (judge !== undefined) return judge(spec);
  return fits(spec, use, "stop") ? "yes" : "no";
}

/** At which files the rules of the list stop a tool, where they do not stop it everywhere. */
export const stoppedSpecs = (rules: readonly string[], tool: string): string[] =>
  rules
    .map(parseRule)
    .flatMap((rule) => (isAbout(rule, tool, "stop") && typeof rule.spec === "string" ? [rule.spec] : []));

export type PassMatch =
  | { readonly kind: "yes"; readonly rules: readonly string[] }
  | { readonly kind: "no" }
  /** Some uses of the tool are let through, and this one is not understood. */
  | { readonly kind: "unsure"; readonly rule: string };

/** The rules of the list that let this use through: of a chain of commands every one must be covered. */
export function passedBy(rules: readonly string[], use: RuledUse): PassMatch {
  const about = rules.map(parseRule).filter((rule) => isAbout(rule, use.tool, "pass"));
  const whole = about.find(({ spec }) => spec === null);
  if (whole !== undefined) return { kind: "yes", rules: [whole.text] };
  if (use.tool !== "Bash") {
    const rule = about.find(({ spec }) => typeof spec === "string" && fits(spec, use, "pass"));
    return rule === undefined ? { kind: "no" } : { kind: "yes", rules: [rule.text] };
  }
  const [first] = about;
  if (first === undefined) return { kind: "no" };
  const { commands } = use;
  if (commands === undefined || commands === null || commands.length === 0) return { kind: "unsure", rule: first.text };
  const covering = [...new Set(commands)].map(
    (command) => about.find(({ spec }) => typeof spec === "string" && commandFits(spec, command))?.text,
  );
  const found = covering.filter((text) => text !== undefined);
  return found.length < covering.length ? { kind: "no" } : { kind: "yes", rules: [...new Set(found)] };
}

const isOpaque = ({ tool, commands, mayRun }: RuledUse): boolean =>
  tool === "Bash" && (commands ?? null) === null && mayRun === undefined;

const PATH_TOOLS: ReadonlySet<string> = new Set(["Read", "Write", "Edit", "Glob", "Grep", "List"]);
const HOST_TOOLS: ReadonlySet<string> = new Set(["WebFetch", "HttpRequest"]);
const DOMAIN = /^domain:\s*((?:\*\.)?[^*/:\s]+)$/;

/** Whether a spec says something about this tool that we can look up. Paths say so themselves. */
function isUnderstood({ spec }: ToolRule, tool: string): boolean {
  if (spec === undefined || spec === null) return spec === null;
  if (HOST_TOOLS.has(tool)) return DOMAIN.test(spec);
  return PATH_TOOLS.has(tool) || tool === "Bash" || tool === "Task";
}

function fits(spec: string, use: RuledUse, side: RuleSide): boolean {
  if (PATH_TOOLS.has(use.tool)) return pathFits(spec, use.path, side);
  if (HOST_TOOLS.has(use.tool)) return hostFits(spec, use.host, side);
  if (use.tool === "Task") return agentFits(spec, use.agent, side);
  return side === "stop";
}

function hostFits(spec: string, host: string | undefined, side: RuleSide): boolean {
  const domain = DOMAIN.exec(spec)?.[1];
  if (domain === undefined || host === undefined) return side === "stop";
  const [wanted, given] = [domain, host].map((one) => one.toLowerCase().replace(/\.$/, ""));
  if (wanted === undefined || given === undefined) return side === "stop";
  const below = wanted.startsWith("*.") ? wanted.slice(1) : `.${wanted}`;
  // What stops a domain stops what lies below it, too.
  const coversBelow = side === "stop" || wanted.startsWith("*.");
  return given === wanted || (side === "stop" && given === below.slice(1)) || (coversBelow && given.endsWith(below));
}

/** Agents are found without regard to case, and with `_` for `-`. */
function agentFits(spec: string, agent: string | undefined, side: RuleSide): boolean {
  if (agent === undefined) return side === "stop";
  const [pattern, name] = [spec, agent].map((one) => one.toLowerCase().replaceAll("_", "-"));
  return pattern !== undefined && name !== undefined && matchesText(pattern, name);
}
