// How a peer's part ended, in the words of our outcomes.
import { oneLine } from "../../domain/summaries.ts";
import type { BackendEnd, Exited } from "../../ports/index.ts";
import type { FailReason } from "../../schema/index.ts";
import type { Tail } from "../command/captured-output.ts";
import { CODES, PeerGone, RpcError } from "./connection.ts";

const MAX_WORDS = 500;

export const fail = (reason: FailReason, message: string): Extract<BackendEnd, { kind: "failed" }> => ({
  kind: "failed",
  reason,
  message,
});

/** Why a turn that has stopped is no answer; undefined: it may be one. */
export function failureOfStop(stopReason: string, refusal?: string): BackendEnd | undefined {
  switch (stopReason) {
    case "end_turn":
      return undefined;
    case "max_tokens":
      return fail("no_completion", "the peer stopped at its token limit before it was done");
    case "max_turn_requests":
      return fail("max_turns", "the peer stopped at its own limit of turns");
    case "refusal":
      return fail("refused", "the peer refuses to go on");
    case "cancelled":
      return fail(
        "no_completion",
        refusal === undefined
          ? "the peer cancelled the turn by itself"
          : `the peer gave up when it was refused: ${refusal}`,
      );
    default:
      return fail(
        "backend_error",
        `the peer stopped for a reason that is not in the protocol: ${oneLine(stopReason, 100)}`,
      );
  }
}

const LIMITED = /\b429\b|rate.?limit|quota|too many requests|overloaded/i;

/** What an answer that is an error, or that never came, means. */
export function failureOf(error: unknown, how: HowItWent): BackendEnd {
  if (error instanceof PeerGone) return failureOfGone(error, how);
  if (!(error instanceof RpcError)) throw error;
  const words = oneLine(wordsOf(error), MAX_WORDS);
  if (error.code === CODES.authRequired) return fail("backend_unavailable", `the peer wants a login: ${words}`);
  return fail(LIMITED.test(words) ? "rate_limited" : "backend_error", `the peer says: ${words}`);
}

export interface HowItWent {
  readonly exited: Exited | undefined;
  readonly stderr: Pick<Tail, "lastLine">;
}

function failureOfGone({ fault }: PeerGone, { exited, stderr }: HowItWent): BackendEnd {
  const last = stderr.lastLine;
  const because = last === undefined ? "" : `: ${oneLine(last, MAX_WORDS)}`;
  if (fault !== undefined) return fail("backend_error", `the peer is not listened to any more: ${fault}`);
  switch (exited?.kind) {
    case "unstarted":
      return fail("backend_unavailable", exited.message);
    case "killed":
      return fail("crashed", `the peer was killed by ${exited.signal}${because}`);
    case "exited":
      return fail("backend_error", `the peer exited with ${exited.code} before it was done${because}`);
    case undefined:
      return fail("backend_error", `the peer closed its output before it was done${because}`);
  }
}

/** A peer's own words on what failed: some say more beside their message. */
export const wordsOf = ({ message, data }: RpcError): string =>
  [message, detailOf(data)].filter((part) => part !== "").join(": ");

function detailOf(data: unknown): string {
  if (typeof data === "string") return data;
  if (typeof data !== "object" || data === null) return "";
  const { details, message }: { details?: unknown; message?: unknown } = data;
  return typeof details === "string" ? details : typeof message === "string" ? message : "";
}
