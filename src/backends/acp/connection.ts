// JSON-RPC over a program's pipes, for a peer that may be broken or hostile: what it can make us hold is bounded, its
// messages are taken one at a time, and nothing that it sends can throw.
import * as z from "zod";
import type { Kept } from "../../ports/index.ts";
import type { RawLog } from "../driven/raw-log.ts";
import { readLines } from "../driven/read-lines.ts";

const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
const MAX_CALLS_AT_ONCE = 64;
const MAX_BYTES_AT_ONCE = 4 * MAX_MESSAGE_BYTES;
const MAX_NONSENSE = 1_000;

export const CODES = {
  invalidRequest: -32600,
  noSuchMethod: -32601,
  invalidParams: -32602,
  internal: -32603,
  authRequired: -32000,
  notFound: -32002,
} as const;

/** The peer's own word that something failed; or ours to it. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.name = "RpcError";
    this.code = code;
    this.data = data;
  }
}

/** Nobody is there to answer any more. */
export class PeerGone extends Error {
  /** What it did that made us stop listening; undefined: it went by itself. */
  readonly fault: string | undefined;

  constructor(fault?: string) {
    super(fault ?? "the peer is gone");
    this.name = "PeerGone";
    this.fault = fault;
  }
}

export interface Handlers {
  /** The next message is not read before this is done: so a flood waits in its pipe. */
  notified(method: string, params: unknown): Promise<void>;
  /** Rejects with an `RpcError` to refuse. */
  asked(method: string, params: unknown): Promise<object>;
}

const Id = z.union([z.string().max(1_000), z.number(), z.null()]);
const version = { jsonrpc: z.literal("2.0") };
const Call = z.object({ ...version, id: Id, method: z.string().max(200), params: z.unknown().optional() });
const Notice = z.object({
  ...version,
  id: z.never().optional(),
  method: z.string().max(200),
  params: z.unknown().optional(),
});
const Fault = z.object({ code: z.number(), message: z.string(), data: z.unknown().optional() });
const Failure = z.object({ ...version, id: z.number(), method: z.never().optional(), error: Fault });
const Success = z.object({ ...version, id: z.number(), method: z.never().optional(), result: z.unknown() });

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

export class Connection {
  readonly #program: Pick<Kept, "stdout" | "write">;
  readonly #handlers: Handlers;
  readonly #raw: Pick<RawLog, "add">;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #answering = 0;
  #answeringBytes = 0;
  #nonsense = 0;
  #gone: PeerGone | undefined;
  /** Resolves when the peer cannot be heard any more. */
  readonly closed: Promise<PeerGone>;

  constructor(program: Pick<Kept, "stdout" | "write">, handlers: Handlers, raw: Pick<RawLog, "add">) {
    this.#raw = raw;
    this.#program = program;
    this.#handlers = handlers;
    this.closed = this.#listen();
  }

  /** Rejects with an `RpcError` or with `PeerGone`. */
  request(method: string, params: object): Promise<unknown> {
    if (this.#gone !== undefined) return Promise.reject(this.#gone);
    const id = ++this.#lastId;
    const answer = new Promise<unknown>((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    void this.#send({ id, method, params });
    return answer;
  }

  notify(method: string, params: object): void {
    void this.#send({ method, params });
  }

  #send(message: object): Promise<void> {
    this.#raw.add("in", message);
    return this.#program.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  async #listen(): Promise<PeerGone> {
    try {
      for await (const line of readLines(this.#program.stdout, MAX_MESSAGE_BYTES)) {
        if (line.kind === "long")
          return this.#close(new PeerGone(`it wrote a line of more than ${MAX_MESSAGE_BYTES} bytes`));
        await this.#take(line.text);
        if (this.#nonsense > MAX_NONSENSE) return this.#close(new PeerGone("what it writes is not the protocol"));
      }
      return this.#close(new PeerGone());
    } catch (error) {
      return this.#close(new PeerGone(String(error)));
    }
  }

  #close(gone: PeerGone): PeerGone {
    this.#gone = gone;
    for (const { reject } of this.#waiting.values()) reject(gone);
    this.#waiting.clear();
    return gone;
  }

  async #take(line: string): Promise<void> {
    const message = parse(line);
    this.#raw.add("out", message ?? line);
    const call = Call.safeParse(message);
    if (call.success) return this.#answer(call.data, line.length);
    const notice = Notice.safeParse(message);
    if (notice.success) return this.#handlers.notified(notice.data.method, notice.data.params);
    const failure = Failure.safeParse(message);
    if (failure.success) {
      const { code, message: words, data } = failure.data.error;
      return this.#settle(failure.data.id, ({ reject }) => reject(new RpcError(code, words, data)));
    }
    const success = Success.safeParse(message);
    if (success.success) return this.#settle(success.data.id, ({ resolve }) => resolve(success.data.result));
    this.#nonsense++; // a banner, a broken line, an answer that is none
  }

  /** An answer to nothing that was asked, or a second one, is dropped. */
  #settle(id: number, settle: (waiting: Waiting) => void): void {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) this.#nonsense++;
    else settle(waiting);
    this.#waiting.delete(id);
  }

  async #answer({ id, method, params }: z.infer<typeof Call>, bytes: number): Promise<void> {
    if (this.#answering >= MAX_CALLS_AT_ONCE || this.#answeringBytes + bytes > MAX_BYTES_AT_ONCE)
      return this.#send({ id, error: { code: CODES.invalidRequest, message: "too many requests at once" } });
    this.#answering++;
    this.#answeringBytes += bytes;
    // Not waited for: a question to a person takes long, and the peer goes on meanwhile.
    void this.#handlers
      .asked(method, params)
      .then(
        (result) => this.#send({ id, result }),
        (error: unknown) => this.#send({ id, error: faultOf(error) }),
      )
      .finally(() => {
        this.#answering--;
        this.#answeringBytes -= bytes;
      });
  }
}

function faultOf(error: unknown): { code: number; message: string } {
  if (error instanceof RpcError) return { code: error.code, message: error.message };
  return { code: CODES.internal, message: error instanceof Error ? error.message : "it did not work" };
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
