// What an answer carries, piece by piece. Whoever just reads gets a reader that is little more than a list, which
// is cheaper than a stream of the web. Everything else is done by such a stream.
import type { Readable } from "node:stream";
import type {
  ReadableStreamAsyncIterator,
  ReadableStreamBYOBReader,
  ReadableStreamDefaultReader,
  ReadableStreamReader,
  ReadableStreamReadResult,
  ReadableWritablePair,
  StreamPipeOptions,
} from "node:stream/web";

/** More than one piece, and the sender waits until somebody has read some. */
const AHEAD_BYTES = 256 * 1024;

type Result = ReadableStreamReadResult<Uint8Array>;

/** Told of what comes in, as soon as it does. Where it throws, that is how the body ends. */
export type OnBytes = (count: number) => void;

export class HttpBody implements ReadableStream<Uint8Array> {
  readonly #inflow: Inflow;
  #reader: BodyReader | undefined;
  #stream: ReadableStream<Uint8Array> | undefined;

  constructor(incoming: Readable, onBytes?: OnBytes) {
    this.#inflow = new Inflow(incoming, onBytes);
  }

  get locked(): boolean {
    return this.#stream?.locked ?? this.#reader?.isHeld ?? false;
  }

  get isUsed(): boolean {
    return this.#stream !== undefined || this.#reader !== undefined;
  }

  getReader(options: { mode: "byob" }): ReadableStreamBYOBReader;
  getReader(): ReadableStreamDefaultReader<Uint8Array>;
  getReader(options?: { mode?: "byob" }): ReadableStreamReader<Uint8Array> {
    if (options?.mode !== undefined || this.#stream !== undefined) return this.asStream().getReader(options);
    this.#refuseIfHeld();
    this.#reader = new BodyReader(this.#inflow);
    return this.#reader;
  }

  async cancel(reason?: unknown): Promise<void> {
    return this.asStream().cancel(reason);
  }

  pipeThrough<T>(transform: ReadableWritablePair<T, Uint8Array>, options?: StreamPipeOptions): ReadableStream<T> {
    return this.asStream().pipeThrough(transform, options);
  }

  async pipeTo(destination: WritableStream<Uint8Array>, options?: StreamPipeOptions): Promise<void> {
    return this.asStream().pipeTo(destination, options);
  }

  tee(): [ReadableStream<Uint8Array>, ReadableStream<Uint8Array>] {
    return this.asStream().tee();
  }

  values(options?: { preventCancel?: boolean }): ReadableStreamAsyncIterator<Uint8Array> {
    return this.asStream().values(options);
  }

  [Symbol.asyncIterator](): ReadableStreamAsyncIterator<Uint8Array> {
    return this.values();
  }

  asStream(): ReadableStream<Uint8Array> {
    this.#refuseIfHeld();
    const inflow = this.#inflow;
    this.#stream ??= new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          const { done, value } = await inflow.read();
          if (done) controller.close();
          else controller.enqueue(value);
        },
        cancel: () => inflow.cancel(),
      },
      { highWaterMark: 0 },
    );
    return this.#stream;
  }

  #refuseIfHeld(): void {
    if (this.#reader?.isHeld === true) throw new TypeError("somebody else reads this body");
  }
}

class BodyReader implements ReadableStreamDefaultReader<Uint8Array> {
  readonly #inflow: Inflow;
  isHeld = true;

  constructor(inflow: Inflow) {
    this.#inflow = inflow;
  }

  get closed(): Promise<void> {
    return this.#inflow.over();
  }

  read(): Promise<Result> {
    return this.isHeld ? this.#inflow.read() : Promise.reject(released());
  }

  async cancel(): Promise<void> {
    if (!this.isHeld) throw released();
    this.#inflow.cancel();
  }

  releaseLock(): void {
    this.isHeld = false;
  }
}

const released = () => new TypeError("this reader was released");

/** What comes in one go is taken and handed on in one piece, however many little ones the sender made of it. */
class Inflow {
  readonly #incoming: Readable;
  readonly #onBytes: OnBytes | undefined;
  #pieces: Buffer[] = [];
  #bytes = 0;
  #isOver = false;
  #failure: Error | undefined;
  #news: PromiseWithResolvers<void> | undefined;

  constructor(incoming: Readable, onBytes: OnBytes | undefined) {
    this.#incoming = incoming;
    this.#onBytes = onBytes;
    incoming.on("readable", () => this.#take());
    incoming.on("end", () => this.#end(undefined));
    incoming.on("close", () => {
      if (!this.#isOver) this.#end(new TypeError("terminated", { cause: incoming.errored ?? undefined }));
    });
    incoming.on("error", () => undefined); // "close" follows, and says so
  }

  read(): Promise<Result> {
    const [only] = this.#pieces;
    if (only !== undefined) {
      const value = this.#pieces.length === 1 ? only : Buffer.concat(this.#pieces);
      this.#drop();
      // Not from here: who reads the last of it frees the connection, and that has to be done before anything else is.
      // Also where nothing is left: that there is nothing more may have been said while there was no room.
      process.nextTick(() => this.#take());
      return Promise.resolve({ done: false, value });
    }
    if (!this.#isOver) return this.#next().then(() => this.read());
    return this.#failure === undefined
      ? Promise.resolve({ done: true, value: undefined })
      : Promise.reject(this.#failure);
  }

  async over(): Promise<void> {
    while (!this.#isOver) await this.#next();
    if (this.#failure !== undefined) throw this.#failure;
  }

  cancel(): void {
    this.#drop();
    this.#end(undefined);
    this.#incoming.destroy();
  }

  /** As much as there is room for: the rest waits where it is, and so does the sender. */
  #take(): void {
    const room = AHEAD_BYTES - this.#bytes;
    if (this.#isOver || room <= 0) return;
    const piece: Buffer | null = this.#incoming.read(this.#incoming.readableLength > room ? room : undefined);
    if (piece === null) return;
    try {
      this.#onBytes?.(piece.length);
    } catch (error) {
      this.#drop();
      this.#end(error instanceof Error ? error : new Error(String(error)));
      this.#incoming.destroy();
      return;
    }
    this.#pieces.push(piece);
    this.#bytes += piece.length;
    this.#tell();
  }

  #drop(): void {
    this.#pieces = [];
    this.#bytes = 0;
  }

  /** How it ended first is how it ended. */
  #end(failure: Error | undefined): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#failure = failure;
    this.#tell();
  }

  #next(): Promise<void> {
    this.#news ??= Promise.withResolvers();
    return this.#news.promise;
  }

  #tell(): void {
    this.#news?.resolve();
    this.#news = undefined;
  }
}
