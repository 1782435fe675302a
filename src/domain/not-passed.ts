// Why a list of rules does not let a use of a tool through, in words that whoever made the call can act on.
import { nearest } from "./nearest.ts";
import { oneLine } from "./summaries.ts";
import { isRuled, parseRule, passedBy, type RuledUse } from "./tool-rules.ts";

const MOST_RULES = 10;
const MOST_COMMANDS = 3;
const MOST_CHARS = 100;

export function whyNotPassed(rules: readonly string[], use: RuledUse): string {
  const about = rules.filter((rule) => isRuled([rule], use.tool, "pass"));
  if (about.length === 0) return `${use.tool} is not among its tools`;
  const shown = about.slice(0, MOST_RULES).map((rule) => oneLine(rule, MOST_CHARS));
  const more = about.length > MOST_RULES ? ` and ${about.length - MOST_RULES} more` : "";
  return `no rule covers ${uncovered(about, use)}; for ${use.tool} there is ${shown.join(", ")}${more}`;
}

/** What of the use it is that the rules have no word for. */
function uncovered(rules: readonly string[], use: RuledUse): string {
  const { tool, commands, path, host, agent } = use;
  if (commands !== undefined && commands !== null) {
    const left = new Set(commands)
      .values()
      .filter((one) => passedBy(rules, { ...use, commands: [one] }).kind !== "yes");
    return `the command ${[...left.take(MOST_COMMANDS)].map(quoted).join(", ")}`;
  }
  if (agent !== undefined) return `the agent ${quoted(agent)}${meant(rules, agent)}`;
  if (path !== undefined) return `the path ${quoted(path)}`;
  return host === undefined ? `this use of ${tool}` : `the host ${quoted(host)}`;
}

/** Not one that a pattern names: that would be no agent. */
function meant(rules: readonly string[], agent: string): string {
  const names = rules.flatMap((rule) => parseRule(rule).spec ?? []).filter((name) => !/[*?[\]{}!]/.test(name));
  const guess = nearest(agent, names);
  return guess === undefined ? "" : ` (did you mean ${quoted(guess)}?)`;
}

const quoted = (text: string): string => JSON.stringify(oneLine(text, MOST_CHARS));
