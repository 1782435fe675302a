// One peer at work on one task: prompts, what it asks of us meanwhile, what it says, and its end.
import type { AttemptScope, BackendEnd, Clock, Heard } from "../../ports/index.ts";
import type { Amount } from "../../schema/index.ts";
import { CODES, type Connection, RpcError } from "./connection.ts";
import { jsonIn } from "./json-answer.ts";
import { OfSession, Prompted, SessionUpdate } from "./messages.ts";
import { revisionPrompt } from "./first-prompt.ts";
import { fail, failureOfStop } from "./peer-end.ts";
import type { PeerCalls } from "./peer-calls.ts";
import { within } from "./within.ts";
import type { Updates } from "./updates.ts";

const CANCEL_MS = 10_000;

export interface ConversationParts {
  readonly connection: Connection;
  readonly session: string;
  readonly scope: Pick<AttemptScope, "signal" | "hear">;
  readonly updates: Updates;
  readonly calls: PeerCalls;
  readonly clock: Clock;
  readonly wantsJson: boolean;
  /** Turns what went wrong with the peer into an end. */
  readonly failed: (error: unknown) => Promise<BackendEnd>;
  readonly close: () => Promise<void>;
}
