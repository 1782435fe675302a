import type { SessionMessage } from "../schema/index.ts";
import { estimateTokens } from "./estimate-tokens.ts";
import { capText } from "./summaries.ts";

export interface HistoryLimits {
  readonly maxHistory: number;
  readonly maxContextTokens: number;
}

/** Whose words they are, and the line break. */
const AROUND = 6;
const BYTES_PER_TOKEN = 3;
const CUT = "\n(the rest is left out)";

/** The newest messages that fit, in their order. Of a newest one that is too long alone, the beginning. */
export function recentMessages(
  messages: readonly SessionMessage[],
  { maxHistory, maxContextTokens }: HistoryLimits,
): SessionMessage[] {
  const kept: SessionMessage[] = [];
  let left = maxContextTokens;
  for (const message of messages.slice(-maxHistory).toReversed()) {
    const tokens = estimateTokens(message.content) + AROUND;
    if (tokens > left) {
      if (kept.length === 0) kept.push({ ...message, content: beginning(message.content, maxContextTokens) });
      break;
    }
    kept.push(message);
    left -= tokens;
  }
  return kept.toReversed();
}

function beginning(text: string, tokens: number): string {
  const bytes = Math.max(0, (tokens - AROUND) * BYTES_PER_TOKEN - CUT.length);
  return `${capText(text, bytes / 1024).text}${CUT}`;
}
