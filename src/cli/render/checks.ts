import type { Colors } from "./colors.ts";
import { safeText } from "./safe-text.ts";

export interface Check {
  readonly name: string;
  readonly state: "ok" | "missing" | "unknown";
  readonly says: string;
  /** What to type, or to do. */
  readonly fix: string | null;
  /** Nothing works without it. */
  readonly essential: boolean;
}

/** One line each, and below it what mends it. */
export function checkLines(checks: readonly Check[], colors: Colors): string {
  const width = Math.max(...checks.map(({ name }) => name.length));
  return checks.flatMap((check) => lines(check, width, colors)).join("\n");
}

const STATE_WIDTH = "missing".length;

function lines({ name, state, says, fix, essential }: Check, width: number, colors: Colors): string[] {
  const paint = state === "ok" ? colors.green : state === "missing" && essential ? colors.red : colors.yellow;
  const [first = "", ...more] = safeText(says).split("\n");
  const indent = " ".repeat(STATE_WIDTH + width + 4);
  return [
    `${paint(state.padEnd(STATE_WIDTH))}  ${name.padEnd(width)}  ${first}`,
    ...more.map((line) => `${indent}${line}`),
    ...(fix === null ? [] : [`${indent}fix: ${safeText(fix)}`]),
  ];
}
