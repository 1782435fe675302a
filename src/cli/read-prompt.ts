import { addAbortSignal } from "node:stream";
import { invalidInput } from "../errors/index.ts";

const MAX_BYTES = 64 * 1024 * 1024;

/** The prompt as it was typed, or, for `-`, all of standard input: an argument cannot be long. Ctrl-C ends the reading. */
export async function readPrompt(typed: string, signal: AbortSignal): Promise<string> {
  if (typed !== "-") return typed;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of addAbortSignal(signal, process.stdin) as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > MAX_BYTES) throw invalidInput(`the prompt has more than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
  } catch (error) {
    throw invalidInput("the prompt on standard input is not UTF-8", {
      hint: "Convert it first: iconv -t utf-8",
      cause: error,
    });
  }
}
