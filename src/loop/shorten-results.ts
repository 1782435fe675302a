// The results of the last turn, where they are too long together: the largest first, the beginning and the end of each.
import { estimateTokens } from "../domain/estimate-tokens.ts";
import type { CallId } from "../schema/index.ts";
import type { CallResult, Turn } from "./conversation.ts";

interface ShorterResult {
  readonly call: CallId;
  readonly output: string;
}

/** About as long as the note and a path are. */
const NOTE_CHARS = 300;
const WORTH_IT = 0.9;
/** Of what is shown, this share is the beginning. */
const HEAD = 0.8;

interface Shown {
  readonly call: CallId;
  readonly result: CallResult;
  readonly tokens: number;
}

const resultsOf = (turn: Turn): Shown[] =>
  [...turn.results].flatMap(([of, result]) => {
    const call = turn.begun.get(of);
    return call === undefined ? [] : [{ call, result, tokens: estimateTokens(result.text) }];
  });

export const tokensOf = (turn: Turn): number => resultsOf(turn).reduce((sum, { tokens }) => sum + tokens, 0);

/** Those that have to be shorter so that all of them fit the room, none below `leastChars`; `where` is the whole of one. */
export async function shortenResults(
  turn: Turn,
  roomTokens: number,
  leastChars: number,
  where: (call: CallId, result: CallResult) => Promise<string>,
): Promise<ShorterResult[]> {
  const shown = resultsOf(turn);
  const most = mostOfEach(
    shown.map(({ tokens }) => tokens),
    roomTokens,
  );
  const shorter: ShorterResult[] = [];
  for (const { call, result, tokens } of shown) {
    const { text } = result;
    if (tokens <= most) continue;
    const chars = Math.max(leastChars, Math.floor((text.length * most) / tokens) - NOTE_CHARS);
    if (chars + NOTE_CHARS >= text.length) continue;
    const output = cut(text, chars, await where(call, result));
    // A path may be long, and what is hardly shorter would be shortened again for ever.
    if (output.length < text.length * WORTH_IT) shorter.push({ call, output });
  }
  return shorter;
}

/** What is small stays; what is left is divided among the others. */
function mostOfEach(sizes: readonly number[], room: number): number {
  let left = Math.max(0, room);
  for (const [index, size] of sizes.toSorted((a, b) => a - b).entries()) {
    const share = left / (sizes.length - index);
    if (size > share) return share;
    left -= size;
  }
  return Infinity;
}

function cut(text: string, chars: number, path: string): string {
  const head = Math.floor(chars * HEAD);
  const tail = chars - head;
  const note = `[${text.length - chars} characters left out here: the window is full. The result is in ${path}; read the part that you need.]`;
  return `${text.slice(0, head).toWellFormed()}\n\n${note}\n\n${text.slice(-tail).toWellFormed()}`;
}
