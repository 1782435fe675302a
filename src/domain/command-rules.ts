// `Bash(git diff *)`, or `Bash(git diff:*)` as others write it: patterns for one simple command.
import { matchesText } from "./globs.ts";

/** `x *` and `x:*` are `x` alone, too, and never `xy`. Elsewhere `*` is any text. */
export function commandFits(spec: string, command: string, side: "pass" | "stop"): boolean {
  const pattern = spec.replace(/:\*$/, " *").replace(/\s+/g, " ").trim();
  if (side === "pass") return oneFits(pattern, command);
  return spellingsOf(command).some((spelling) => oneFits(folded(pattern), folded(spelling)));
}

function oneFits(pattern: string, command: string): boolean {
  if (matchesText(pattern, command)) return true;
  return pattern.endsWith(" *") && matchesText(pattern.slice(0, -2), command);
}

/** Other ways to say the same: a program may be called by its path. */
function spellingsOf(command: string): string[] {
  const [name = "", ...rest] = command.split(" ");
  const base = name.slice(name.lastIndexOf("/") + 1);
  return base === name || base === "" ? [command] : [command, [base, ...rest].join(" ")];
}

/** Quotes and case make no other command of it: for what is to be stopped, both are left out. */
const folded = (text: string): string => text.replace(/['"\\]/g, "").toLowerCase();
