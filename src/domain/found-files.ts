// What a call may show of the files that it finds. The policy is asked about where it begins, and about that only.
import type { Policy } from "../schema/index.ts";
import { stoppedPaths } from "./path-rules.ts";
import { stoppedSpecs, wholeStop } from "./tool-rules.ts";

interface Closed {
  /** Whether a rule stops this tool there. */
  has(path: string): boolean;
  /** Whether there is such a rule at all. It does not depend on what is there: that would tell what is closed. */
  readonly isAny: boolean;
}

/**
 * What rules close below a folder to a tool that may begin there. One that also stops the folder itself was answered
 * when the call was allowed. Paths are relative to the project; all rules are read once.
 */
export function closedBelow({ tools }: Pick<Policy, "tools">, tool: string, start: string): Closed {
  const specs = tools
    .flatMap(({ ask, deny }) => stoppedSpecs([...ask, ...deny], tool))
    .filter((spec) => {
      const one = stoppedPaths([spec]);
      return one.mayStopBelow(start) && !one.stops(start);
    });
  const stopped = stoppedPaths(specs);
  return { has: (path) => specs.length > 0 && stopped.stops(path), isAny: specs.length > 0 };
}

/** What rules close to a tool at all: for what is shown without a call, of which nobody was asked where it begins. */
export function closedTo({ tools }: Pick<Policy, "tools">, tool: string): (path: string) => boolean {
  const rules = tools.flatMap(({ ask, deny }) => [...ask, ...deny]);
  if (wholeStop(rules, tool) !== undefined) return () => true;
  const stopped = stoppedPaths(stoppedSpecs(rules, tool));
  return (path) => stopped.stops(path);
}
