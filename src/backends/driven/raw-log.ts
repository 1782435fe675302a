// What a driven program really said, for whoever has to find out why: one file for each task, a line for each message.
// Known secrets become their names. Pieces of one text are put together first, so that a secret which comes in pieces is
// found as well.
import { join } from "node:path";
import { rawLogName } from "../../domain/raw-log-name.ts";
import { OwnedFolder } from "../../platform/owned-folder.ts";
import { Ticker } from "../../platform/ticker.ts";
import type { Attempt, AttemptScope } from "../../ports/index.ts";
import { isFields } from "./json-fields.ts";

/** `out`: it said it. `in`: it was told. `err`: it complained. */
type Way = "out" | "in" | "err";

const MOST_BYTES = 64 * 1024 * 1024;
const WRITE_AT = 64 * 1024;
const WRITE_EVERY_MS = 500;
const LONGEST_TEXT = 64 * 1024;
const LONGEST_SECRET = 8 * 1024;

/** Where in a message the piece of a text is that goes on in the next one. */
export type PieceIn = (message: unknown) => readonly string[] | undefined;

interface Pending {
  readonly way: Way;
  readonly path: readonly string[];
  readonly message: unknown;
  text: string;
}

export interface RawLogOf {
  readonly home: string;
  readonly attempt: Pick<Attempt, "task" | "attempt">;
  readonly scope: Pick<AttemptScope, "redact">;
  readonly pieceIn?: PieceIn | undefined;
  /** Default: 64 MB. */
  readonly mostBytes?: number | undefined;
}

export class RawLog {
  readonly #of: RawLogOf;
  readonly #folder: OwnedFolder;
  readonly #name: string;
  readonly #most: number;
  readonly #ticker = new Ticker(WRITE_EVERY_MS, async () => this.#write());
  #lines: string[] = [];
  #waiting = 0;
  #bytes = 0;
  #pending: Pending | undefined;
  /** There was more than is kept. */
  #isCut = false;

  constructor(of: RawLogOf) {
    this.#of = of;
    this.#folder = new OwnedFolder(join(of.home, "logs"));
    this.#name = rawLogName(of.attempt.task.id);
    this.#most = of.mostBytes ?? MOST_BYTES;
  }

  /** `message` is what was parsed, or the line itself where it was nothing that can be. */
  add(way: Way, message: unknown): void {
    if (this.#isCut) return;
    const path = this.#of.pieceIn?.(message);
    const text = path === undefined ? undefined : textAt(message, path);
    const before = this.#pending;
    if (path !== undefined && text !== undefined && before?.way === way && before.path.join() === path.join()) {
      before.text += text;
      if (before.text.length > LONGEST_TEXT) this.#passPart(before);
      return;
    }
    this.#pass();
    if (path !== undefined && text !== undefined) this.#pending = { way, path, message, text };
    else this.#put(way, message);
  }

  /** Writes what there is, and says where it was more. */
  async close({ signal, append }: Pick<AttemptScope, "signal" | "append">): Promise<void> {
    this.#ticker.stop();
    this.#pass();
    this.#write();
    if (!this.#isCut || signal.aborted) return;
    const text = `the raw log is cut: of an attempt, ${this.#most} bytes are kept`;
    await append({ type: "note.taken", level: "info", text });
  }

  /** Of a text without end, all but its last part, in which a secret may have begun. */
  #passPart(pending: Pending): void {
    const text = this.#of.scope.redact(pending.text);
    this.#put(pending.way, withText(pending.message, pending.path, text.slice(0, -LONGEST_SECRET)));
    pending.text = text.slice(-LONGEST_SECRET);
  }

  #pass(): void {
    const pending = this.#pending;
    this.#pending = undefined;
    if (pending !== undefined) this.#put(pending.way, withText(pending.message, pending.path, pending.text));
  }

  #put(way: Way, message: unknown): void {
    const { scope, attempt } = this.#of;
    const line = `${asJson({ attempt: attempt.attempt, way }, () => scope.redact(message))}\n`;
    if (this.#bytes + line.length > this.#most) {
      this.#isCut = true;
      return this.#push(`${JSON.stringify({ attempt: attempt.attempt, cut: `only ${this.#most} bytes are kept` })}\n`);
    }
    this.#push(line);
  }

  #push(line: string): void {
    this.#lines.push(line);
    this.#bytes += line.length;
    this.#waiting += line.length;
    if (this.#waiting > WRITE_AT) this.#write();
    else this.#ticker.wake();
  }

  /** A disk that is full loses these lines, and nothing else: the log has what counts. */
  #write(): boolean {
    if (this.#lines.length === 0) return false;
    this.#folder.append(this.#name, Buffer.from(this.#lines.join(""), "utf8"));
    this.#lines = [];
    this.#waiting = 0;
    return false;
  }
}

/** What is nested too deep to be written is left out, and said. */
function asJson(head: object, message: () => unknown): string {
  try {
    return JSON.stringify({ ...head, said: message() });
  } catch {
    return JSON.stringify({ ...head, leftOut: "it is nested too deep" });
  }
}

function textAt(message: unknown, path: readonly string[]): string | undefined {
  let at = message;
  for (const name of path) at = isFields(at) ? at[name] : undefined;
  return typeof at === "string" ? at : undefined;
}

function withText(message: unknown, [name, ...rest]: readonly string[], text: string): unknown {
  if (name === undefined) return text;
  return isFields(message) ? { ...message, [name]: withText(message[name], rest, text) } : message;
}
