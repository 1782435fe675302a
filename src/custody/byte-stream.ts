import type { Readable } from "node:stream";
import { systemClock } from "../platform/system-clock.ts";

const SILENCE_MS = 250;
const LEFT_IN_THE_PIPE = 16 * 1024 * 1024; // more than a pipe or a socket holds

/**
 * What comes out of a program, in the reader's own time: what is not read stays in the pipe, and a full pipe
 * makes the program wait.
 *
 * It ends when the pipe does. A program may end and leave a child that keeps the pipe open for ever: so after
 * the exit it also ends when nothing more comes, or when more came than the program itself can have left.
 */
export function byteStream(stream: Readable, exited: Promise<unknown>): AsyncIterable<Uint8Array> {
  let hasExited = false;
  let news = Promise.withResolvers<void>();
  const ring = () => news.resolve();
  // Listening for "readable" from the start is not only for news: at the exit of a child Node lets streams
  // flow that nobody has begun to read, and what they held would be lost.
  stream.on("readable", ring).on("end", ring).on("close", ring).on("error", ring);
  void exited.then(() => {
    hasExited = true;
    ring();
  });

  async function* read(): AsyncGenerator<Uint8Array, void> {
    let afterExit = 0;
    try {
      while (afterExit <= LEFT_IN_THE_PIPE) {
        news = Promise.withResolvers<void>();
        const chunk: unknown = stream.read();
        if (chunk instanceof Uint8Array) {
          if (hasExited) afterExit += chunk.length;
          yield chunk;
        } else if (stream.readableEnded || stream.destroyed) return;
        else if (!hasExited) await news.promise;
        else if (await isSilent(news.promise)) return;
      }
    } finally {
      stream.destroy(); // also when the reader leaves early: the program then finds nobody there
    }
  }
  return { [Symbol.asyncIterator]: read };
}

export const noBytes: AsyncIterable<Uint8Array> = {
  async *[Symbol.asyncIterator]() {
    // nothing
  },
};

async function isSilent(news: Promise<void>): Promise<boolean> {
  const heard = new AbortController();
  void news.then(() => heard.abort());
  await systemClock.sleep(SILENCE_MS, heard.signal);
  // Where something else held up the event loop, timers are served before pipes are looked at. A second
  // timer comes after the pipes.
  await systemClock.sleep(1, heard.signal);
  return !heard.signal.aborted;
}
