import type { Amount } from "./amount.ts";

/** Apart from the schemas: what only looks at tasks does without them, and starts sooner. */
export const NOTHING: Amount = Object.freeze({ microUsd: 0, tokens: 0 });
