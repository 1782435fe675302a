// For programs that are given a tool as a whole or not at all, and do not ask before each call.
import type { Obstacle } from "../../ports/index.ts";
import type { TaskSpec } from "../../schema/index.ts";
import { allowanceOf, type CliTool, closingRules } from "./allowance.ts";

/** What such a program could not be held to. `given` are its own names for what it would get. */
export function refusesParts(name: string, { policy }: TaskSpec, given: readonly string[]): Obstacle | null {
  const allowance = allowanceOf(policy);
  const closing = closingRules(allowance);
  const isPartly = allowance.read.length > 0 && !allowance.read.includes(".");
  if (closing.length === 0 && !isPartly && given.length > 0) return null;
  const what = closing.length > 0 ? closing.join(", ") : `reading ${allowance.read.join(", ") || "nothing"}`;
  return {
    message: `${name} cannot be held to ${what}: it has a tool for the whole workspace or not at all`,
    hint: "Open the whole project for reading, or use the claude, codex or native backend.",
  };
}

/** Where one of theirs is several of ours: it is given only if all of them are open. */
export function openNames(tools: ReadonlySet<CliTool>, names: Readonly<Record<string, readonly CliTool[]>>): string[] {
  return Object.entries(names).flatMap(([name, ours]) => (ours.every((tool) => tools.has(tool)) ? [name] : []));
}
