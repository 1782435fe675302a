// What went wrong, as one of the kinds that the loop knows. Statuses and codes decide; only for a window that is full
// some providers have nothing but words, and those are listed here.
import * as z from "zod";
import type { ModelErrorKind, ModelPart } from "../ports/index.ts";
import { NO_USAGE } from "../schema/nothing.ts";
import { adviceFor } from "./advice.ts";
import type { Endpoint } from "./endpoint.ts";
import { retryAfterMs } from "./retry-after.ts";

type ErrorPart = Extract<ModelPart, { type: "error" }>;

const word = z.union([z.string(), z.number()]).optional().catch(undefined);

/** Errors of the SDK, of fetch, and what a stream carries as its error: all read the same way. */
const Thrown = z.looseObject({
  name: z.string().catch(""),
  message: z.string().catch(""),
  statusCode: z.int().optional().catch(undefined),
  code: word,
  type: word,
  status: word,
  responseHeaders: z.record(z.string(), z.string()).catch({}),
  responseBody: z.string().optional().catch(undefined),
  cause: z.unknown().optional(),
});
type Thrown = z.infer<typeof Thrown>;

export interface Circumstances {
  /** The status of the response, if there was one. */
  readonly status: number | undefined;
  readonly now: number;
  /** `provider/model`. */
  readonly model: string;
  /** In use: no message may repeat its value. */
  readonly key: Endpoint["key"];
}

export function failure(error: unknown, circumstances: Circumstances): ErrorPart {
  const { status, now, key } = circumstances;
  const thrown = readThrown(error);
  const refused = refusalOf(thrown, status);
  const kind = kindOf(thrown, refused);
  const said = told(thrown, key?.value);
  const advice = adviceFor(kind, refused, circumstances);
  const wait = retryAfterMs(thrown.responseHeaders, thrown.responseBody, now);
  return {
    type: "error",
    kind,
    message: advice === undefined ? said : `${said.replace(/\.$/, "")}. ${advice}`,
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
    // A refused request is not billed, and one that was never sent even less. Of any other nobody knows.
    usage: (status !== undefined && status >= 400) || isUnsent(thrown, status) ? NO_USAGE : null,
  };
}

function readThrown(error: unknown): Thrown {
  const read = Thrown.safeParse(error);
  return read.success ? read.data : Thrown.parse({ message: typeof error === "string" ? error : "" });
}

/** The status that it was refused with, wherever it stands. */
const refusalOf = (thrown: Thrown, status: number | undefined): number | undefined =>
  refusal(thrown.statusCode) ?? refusal(thrown.code) ?? refusal(status);

function kindOf(thrown: Thrown, refused: number | undefined): ModelErrorKind {
  if (isTooLong(thrown)) return "too-long";
  if (refused !== undefined) return byStatus(refused, thrown);
  const words = [thrown.code, thrown.type, thrown.status].join(" ").toLowerCase();
  if (/rate_limit|resource_exhausted|quota/.test(words)) return "rate_limited";
  if (/authentication|permission|invalid_api_key|unauthenticated/.test(words)) return "auth";
  if (/overloaded|server_error|api_error|unavailable|internal|timeout/.test(words)) return "unavailable";
  return isBroken(thrown) ? "unavailable" : "other";
}

function byStatus(status: number, { responseBody }: Thrown): ModelErrorKind {
  if (status === 429) return "rate_limited";
  if ([401, 402, 403].includes(status)) return "auth";
  if (status === 413) return "too-long";
  if ([408, 409, 425].includes(status) || status >= 500) return "unavailable";
  // Google answers a wrong key with 400.
  return status === 400 && responseBody?.includes("API_KEY_INVALID") === true ? "auth" : "other";
}

/** A status that refuses. The SDK says 200 of streams that broke later. */
const refusal = (value: string | number | undefined): number | undefined => {
  const status = Number(value);
  return Number.isInteger(status) && status >= 400 && status < 600 ? status : undefined;
};

const OVERFLOW = [
  /context_length_exceeded|exceed_context_size|model_context_window_exceeded|request_too_large/,
  /prompt is too long/,
  /exceeds? (?:the )?(?:available )?context (?:window|limit|length|size)/,
  /exceeds? the context window/,
  /maximum context length/,
  /input token count .*exceeds the maximum/,
  /reduce the length of the (?:messages|input)/,
  /greater than the context length/,
];

const isTooLong = ({ message, code, type, responseBody }: Thrown): boolean => {
  const said = [code, type, message, responseBody?.slice(0, 4096)].join("\n").toLowerCase();
  return OVERFLOW.some((words) => words.test(said));
};

/** The error and what caused it, down to the first. */
function chainOf(thrown: Thrown): Thrown[] {
  const chain = [thrown];
  for (let depth = 0; depth < 8; depth++) {
    const cause = Thrown.safeParse(chain.at(-1)?.cause);
    if (!cause.success) break;
    chain.push(cause.data);
  }
  return chain;
}

const codesOf = (thrown: Thrown): string[] =>
  chainOf(thrown).flatMap(({ code }) => (typeof code === "string" ? [code] : []));

const UNSENT = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH", "ECONNTIMEOUT"]);

const isUnsent = (thrown: Thrown, status: number | undefined) =>
  status === undefined && codesOf(thrown).some((code) => UNSENT.has(code));

/** The connection failed, or what came over it makes no sense: another try may fare better. */
const isBroken = (thrown: Thrown) =>
  ["AI_InvalidResponseDataError", "AI_JSONParseError"].includes(thrown.name) ||
  codesOf(thrown).some((code) => /^(?:E[A-Z]{3,}|EAI_AGAIN|UND_ERR_.*|CERT_.*)$/.test(code)) ||
  chainOf(thrown).some(({ message }) => message === "terminated" || message === "fetch failed");

const LONGEST_MESSAGE = 500;

function told(thrown: Thrown, key: string | undefined): string {
  const reasons = chainOf(thrown).map(({ message }) => message.trim());
  // Most repeat what caused them.
  const isNew = (reason: string, at: number) => !reasons.slice(0, at).some((before) => before.includes(reason));
  const said = reasons.filter((reason, at) => reason !== "" && isNew(reason, at)).join(": ");
  const status = refusal(thrown.statusCode);
  const text = `${said === "" ? "the provider gave no reason" : said}${status === undefined ? "" : ` (status ${status})`}`;
  const safe = key === undefined ? text : text.replaceAll(key, "[key]");
  return safe.length <= LONGEST_MESSAGE ? safe : `${safe.slice(0, LONGEST_MESSAGE)}…`;
}
