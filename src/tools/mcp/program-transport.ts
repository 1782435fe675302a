// A server that is a program, as the protocol's library wants to speak to it. The library's own way of starting one
// is not used: programs of an attempt are started in its custody only.
import {
  type JSONRPCMessage,
  parseJSONRPCMessage,
  serializeMessage,
  type Transport,
} from "@modelcontextprotocol/client";
import { oneLine } from "../../domain/summaries.ts";
import { yielding } from "../../platform/yielding.ts";
import type { Kept } from "../../ports/index.ts";
import { isShallow, messageLines, ServerFault } from "./message-lines.ts";

/** Lines that are no message: a banner is common, a stream of them is not the protocol. */
const MAX_NONSENSE = 1_000;
/** Messages that answer nothing that was asked. */
const MAX_UNASKED = 100_000;
const STDERR_CHARS = 4_000;
const LINE = 300;

export class ProgramTransport implements Transport {
  // Both by name: the library tells a program from an address by them, and gives an older one its time.
  readonly stderr = null;
  readonly pid: number | null;
  declare onclose?: () => void;
  declare onerror?: (error: Error) => void;
  declare onmessage?: (message: JSONRPCMessage) => void;
  readonly #program: Kept;
  readonly #asked = new Set<string | number>();
  #unasked = 0;
  #nonsense = 0;
  #said = "";
  #fault: string | undefined;
  /** Nothing is heard of it any more. */
  isOver = false;

  constructor(program: Kept) {
    this.#program = program;
    this.pid = program.pid ?? null;
    void this.#hearErrors();
  }

  async start(): Promise<void> {
    void this.#listen();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.isOver) throw new ServerFault(this.whyGone());
    if ("method" in message && "id" in message) this.#asked.add(message.id);
    await this.#program.write(serializeMessage(message));
  }

  /** What is left of it ends with the attempt, by force. */
  async close(): Promise<void> {
    if (this.isOver) return;
    this.isOver = true;
    this.#program.endInput();
    this.#program.signal("SIGTERM");
    this.onclose?.();
  }

  /** In words, for people and models; the last line that it wrote to standard error with it. */
  whyGone(): string {
    const last = this.#said.split("\n").findLast((line) => line.trim() !== "");
    const words = last === undefined ? "" : `. Its last words: ${oneLine(last, LINE)}`;
    return `${this.#fault ?? "it has ended"}${words}`;
  }

  async #listen(): Promise<void> {
    const breathe = yielding();
    try {
      for await (const line of messageLines(this.#program.stdout)) {
        if (this.isOver) return;
        this.#take(line);
        await breathe();
      }
      const exited = await this.#program.exited;
      this.#fault ??=
        exited.kind === "exited"
          ? `it exited with ${exited.code}`
          : exited.kind === "killed"
            ? `it was killed by ${exited.signal}`
            : `it could not be started: ${exited.message}`;
    } catch (error) {
      this.#fault ??= error instanceof Error ? error.message : String(error);
    }
    await this.close();
  }

  #take(line: string): void {
    const message = messageIn(line);
    if (message === undefined) {
      this.#nonsense++;
      if (this.#nonsense > MAX_NONSENSE) throw new ServerFault("what it writes is not the protocol");
      return;
    }
    // An answer to nothing, or the second one to the same question, goes no further.
    const isAnswer = !("method" in message);
    if (isAnswer && message.id !== undefined && this.#asked.delete(message.id)) return this.onmessage?.(message);
    this.#unasked++;
    if (this.#unasked > MAX_UNASKED)
      throw new ServerFault(`it sent more than ${MAX_UNASKED} messages that nobody asked for`);
    if (!isAnswer) this.onmessage?.(message);
  }

  async #hearErrors(): Promise<void> {
    const decoder = new TextDecoder();
    try {
      for await (const chunk of this.#program.stderr) {
        this.#said = `${this.#said}${decoder.decode(chunk.subarray(-STDERR_CHARS), { stream: true })}`.slice(
          -STDERR_CHARS,
        );
      }
    } catch {
      // what it said last is lost, and nothing else
    }
  }
}

function messageIn(line: string): JSONRPCMessage | undefined {
  if (!isShallow(line)) return undefined;
  try {
    return parseJSONRPCMessage(JSON.parse(line));
  } catch {
    return undefined;
  }
}
