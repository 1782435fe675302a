// For mouths: tasks in the words of others, and the envelopes around what others have said.
export {
  costWords,
  countedTokens,
  settledWords,
  type Spent,
  spentTogether,
  spentWords,
  tokenWords,
  turnWords,
} from "../domain/cost-words.ts";
export { contextEnvelope } from "../domain/envelopes.ts";
export { type Dialect, statusWord } from "../domain/status-words.ts";
export { isSaidBy, oneLine, savedAfter, unheardWords, worthOf } from "../domain/summaries.ts";
export { hasEnded } from "../domain/transitions.ts";
