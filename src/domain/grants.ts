// The rules that let just one use of a tool through, for good: what "always" writes into the user's settings.
import { isPartlyKnown } from "./partly-known.ts";
import { passedBy, type RuledUse } from "./tool-rules.ts";

/** None, where no rule says exactly this: a command that is not understood, or a name that reads as a pattern. */
export function grantsFor(use: RuledUse): string[] {
  const rules = [...new Set(rulesFor(use))];
  // A variable, or what a program adds to another, may be something else the next time.
  const isKnown = !(use.mayRun ?? []).some(isPartlyKnown);
  const isExact = rules.length > 0 && isKnown && rules.every(isPlain) && passedBy(rules, use).kind === "yes";
  return isExact ? rules : [];
}

function rulesFor({ tool, commands, path, host, agent }: RuledUse): string[] {
  if (tool === "Bash") return (commands ?? []).map((command) => `Bash(${command})`);
  if (path !== undefined) return isOneFile(path) ? [`${tool}(${path})`] : [];
  if (host !== undefined) return [`${tool}(domain:${host})`];
  if (agent !== undefined) return [`${tool}(${agent})`];
  return WITHOUT_SPEC.test(tool) ? [tool] : [];
}

/** With a slash at its end a path means all below it, and spaces around one are no part of a rule: `src/ ` is that, too. */
const isOneFile = (path: string): boolean => !path.endsWith("/") && path.trim() === path;

/** Tools whose uses no rule tells apart. */
const WITHOUT_SPEC = /^(WebSearch|mcp__.+)$/;

/** One line, and nothing in it that a rule would read as more than itself. */
const isPlain = (rule: string): boolean => !/[*?[\]{}!~\\\r\n]/.test(rule);
