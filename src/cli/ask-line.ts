// A line that somebody types at this terminal.
import { createInterface } from "node:readline/promises";

/**
 * Ctrl-D is an empty line. Ctrl-C is the signal that it is everywhere else: whoever hears it aborts `signal`, and this
 * rejects. Left to itself a terminal that is read by lines keeps the signal.
 */
export async function askLine(question: string, signal: AbortSignal): Promise<string> {
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  reader.on("SIGINT", () => process.kill(process.pid, "SIGINT"));
  const closed = new Promise<string>((resolve) => reader.once("close", () => resolve("")));
  try {
    const typed = reader.question(question, { signal });
    return await Promise.race([typed, closed]);
  } finally {
    reader.close();
  }
}

/** Only a plain yes is one: neither Ctrl-C nor Ctrl-D is. */
export async function askYes(question: string, signal: AbortSignal): Promise<boolean> {
  const answer = await askLine(`${question} [y/N] `, signal).catch((error: unknown) => {
    if (signal.aborted) return "";
    throw error;
  });
  return answer.trim().toLowerCase() === "y";
}
