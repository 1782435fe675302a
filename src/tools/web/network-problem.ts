// What went wrong with a request, in words that a model can act on.
import { AddressRefused } from "../../platform/public-address.ts";
import { TookTooLong } from "./within-time.ts";

const WORDS: Readonly<Record<string, string>> = {
  ENOTFOUND: "there is no such host",
  EAI_AGAIN: "the name of the host could not be looked up",
  ECONNREFUSED: "nothing listens there",
  ECONNRESET: "the connection was cut",
  EPIPE: "the connection was cut",
  EHOSTUNREACH: "the host cannot be reached",
  ENETUNREACH: "the network cannot be reached",
  ETIMEDOUT: "the host does not answer",
  UND_ERR_CONNECT_TIMEOUT: "the host does not answer",
  UND_ERR_HEADERS_TIMEOUT: "the host does not answer",
  UND_ERR_BODY_TIMEOUT: "the host stopped in the middle of its answer",
  UND_ERR_SOCKET: "the connection was cut",
  UND_ERR_HEADERS_OVERFLOW: "the headers of the answer are too large",
  Z_DATA_ERROR: "the answer is packed wrongly",
};

/** Nothing was sent. */
const UNSENT: ReadonlySet<string> = new Set([
  "ENOTFOUND",
  "EAI_AGAIN",
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);

const DOUBT = "The request may have had its effect all the same: look before you repeat it.";

/** `acts`: it was to change something. Then no answer does not mean that nothing was done. */
export function networkProblem(error: unknown, url: URL, signal: AbortSignal, acts: boolean): string {
  const problem = wordsOf(error, url, signal);
  const isUnsent = causes(error).some((cause) => cause instanceof AddressRefused || UNSENT.has(codeOf(cause)));
  return acts && !isUnsent ? `${problem} ${DOUBT}` : problem;
}

function wordsOf(error: unknown, url: URL, signal: AbortSignal): string {
  if (signal.aborted) return `The request to ${url.host} was stopped.`;
  const refused = causes(error).find((cause) => cause instanceof AddressRefused);
  if (refused !== undefined)
    return `${refused.message}: this machine and private networks cannot be reached. A person can name such a host in their own settings.`;
  if (error instanceof TookTooLong) return `${url.href}: ${error.message}.`;
  const known = causes(error).find((cause) => WORDS[codeOf(cause)] !== undefined);
  const why = known === undefined ? plain(error) : WORDS[codeOf(known)];
  return `${url.href} could not be fetched: ${why}. Check the address, or go on without it.`;
}

/** An error of several addresses holds one for each of them. */
function causes(error: unknown): Error[] {
  if (!(error instanceof Error)) return [];
  const inner = error instanceof AggregateError ? error.errors.slice(0, 10) : [error.cause];
  return [error, ...inner.filter((one): one is Error => one instanceof Error)];
}

const codeOf = (error: Error): string => ("code" in error ? String(error.code) : "");

const plain = (error: unknown): string => (error instanceof Error ? error.message : String(error)).slice(0, 200);
