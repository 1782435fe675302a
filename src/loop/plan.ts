/** Of the window at the most, in characters for each token of it: about a tenth. */
const CHARS_PER_TOKEN = 0.3;
const MAX_CHARS = 8_000;

/** An agent's plan as far as there is room for it. What is done goes first; then the end, which the agent can read. */
export function planFor(plan: string, path: string, contextTokens: number): string {
  const max = Math.min(MAX_CHARS, Math.floor(contextTokens * CHARS_PER_TOKEN));
  const whole = plan.trim();
  if (whole.length <= max) return whole;
  const open = whole
    .split("\n")
    .filter((line) => !DONE.test(line))
    .join("\n");
  const shown = open.length <= max ? open : open.slice(0, max).toWellFormed();
  return `${shown}\n[Not all of it. The whole is in ${path}.]`;
}

const DONE = /^\s*- \[x\] /i;
