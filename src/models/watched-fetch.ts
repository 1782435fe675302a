// One request of one model call, watched: how many bytes came, when the last one came, and what the status was.
// The providers' packages buffer a whole event before they look at it, so the bound has to lie below them.
import type { Clock } from "../ports/index.ts";
import type { OnBytes } from "../platform/http-body.ts";
import { httpFetch } from "../platform/http-fetch.ts";

export interface Bounds {
  /** The longest silence, from the request on. What a provider sends to keep the connection open counts as a word. */
  readonly idleMs: number;
  readonly responseBytes: number;
  /** Of the text and of the reasoning of one turn, each. */
  readonly textChars: number;
  readonly toolInputChars: number;
}

export const BOUNDS: Bounds = {
  idleMs: 180_000,
  responseBytes: 64 * 1024 * 1024,
  textChars: 4_000_000,
  toolInputChars: 4_000_000,
};

export interface Watch {
  readonly fetch: typeof fetch;
  /** Aborted with the caller's signal, by silence, by too many bytes, and by an `end` before all of the answer was read. */
  readonly signal: AbortSignal;
  /** Of the latest response; `undefined` until there is one. */
  status(): number | undefined;
  /** Why this watch itself ended the call. */
  broken(): string | undefined;
  /** `isRead`: to its end, so there is nothing to stop, and nobody has to be told to. */
  end(isRead: boolean): void;
}

export function watchCall(signal: AbortSignal, clock: Clock, bounds: Bounds): Watch {
  const call = new AbortController();
  // By hand: it is cheaper than a signal made of both.
  const passOn = () => call.abort(signal.reason);
  if (signal.aborted) passOn();
  else signal.addEventListener("abort", passOn);
  let status: number | undefined;
  let broken: string | undefined;
  let lastWord = clock.monotonic();

  const stop = (why: string) => {
    broken ??= why;
    call.abort(new Error(why));
  };
  const lookAgain = () => {
    const left = bounds.idleMs - (clock.monotonic() - lastWord);
    if (left <= 0) stop(`nothing came for ${Math.round(bounds.idleMs / 1000)} s`);
    else silence = clock.alarm(left, lookAgain);
  };
  let silence = clock.alarm(bounds.idleMs, lookAgain);

  const countBytes = (): OnBytes => {
    let bytes = 0;
    return (more) => {
      lastWord = clock.monotonic();
      bytes += more;
      if (bytes <= bounds.responseBytes) return;
      stop(`the answer is larger than ${bounds.responseBytes} bytes`);
      throw new Error(broken);
    };
  };

  return {
    fetch: async (input, init) => {
      const response = await httpFetch(input, wellFormed(init), countBytes());
      status = response.status;
      lastWord = clock.monotonic();
      // It would carry the key to wherever it points.
      if (status >= 300 && status < 400) throw new Error("the endpoint redirects elsewhere, and that is not followed");
      return response;
    },
    signal: call.signal,
    status: () => status,
    broken: () => broken,
    end(isRead) {
      silence[Symbol.dispose]();
      signal.removeEventListener("abort", passOn);
      if (!isRead) call.abort();
    },
  };
}

/** As JSON writes half of a character; with an even number of backslashes before it, it is text that looks like one. */
const HALF = /(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g;

/** What was cut in the middle of a character, or came so, is no JSON to some providers, and then all is refused. */
const wellFormed = (init: RequestInit | undefined): RequestInit | undefined =>
  typeof init?.body === "string" && init.body.includes("\\ud")
    ? { ...init, body: init.body.replace(HALF, "$1\\ufffd") }
    : init;
