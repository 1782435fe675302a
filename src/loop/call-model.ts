// One reply of the model: reserved before it is asked for, settled after, tried again where that may help.
import { estimateTokens } from "../domain/estimate-tokens.ts";
import type {
  AttemptScope,
  Model,
  ModelMessage,
  ModelPart,
  ModelRequest,
  ModelTool,
  TurnStarted,
} from "../ports/index.ts";
import {
  type Cost,
  type Json,
  type ModelCall,
  type ModelFault,
  type ModelStop,
  type ModelUsage,
  NOTHING,
  type ReservationId,
} from "../schema/index.ts";

/** What is aside is paid for, and no turn of the agent's own. */
export interface ModelWish extends ModelRequest {
  readonly turn: number;
  /** Where the budget has no room beside calls of others, these are not waited for. */
  readonly isHurried?: boolean | undefined;
}

/** Whose reply it is to be. A turn begins with the first call that may be sent in it. */
interface Turns {
  /** `undefined`: it was begun. */
  readonly begins: TurnStarted | undefined;
  add(event: TurnStarted): void;
}

/** What was set aside for this call. It is given up once the call fits, and not before: nobody comes between. */
interface Held {
  kept(): Promise<ReservationId | undefined>;
  given(): void;
  /** The call has failed, and may be made once more: so much is kept for that. */
  again(amount: Cost): void;
}

export interface Reply {
  readonly text: string;
  readonly calls: readonly ModelCall[];
  readonly opaque: Json | null;
  readonly stop: ModelStop;
}

export type Replied =
  | ({ readonly kind: "replied" } & Reply)
  | {
      readonly kind: "failed";
      readonly fault: ModelFault;
      readonly message: string;
      /** As the provider says. */
      readonly retryAfterMs?: number | undefined;
    }
  /** It does not fit the budget, however short the reply. */
  | { readonly kind: "unaffordable" }
  /** The time was up while it was on its way. */
  | { readonly kind: "late" };

const TRIES = 5;
const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 120_000;
/** Shorter replies are not worth asking for. */
const SHORTEST_REPLY = 512;
/** Where only others are in the way, nothing smaller is asked for: it might break off. */
const SMALL_REPLY = 8_192;
const WORTH_ANOTHER_TRY: ReadonlySet<ModelFault> = new Set(["rate_limited", "unavailable"]);

interface Calling {
  readonly scope: AttemptScope;
  readonly model: Model;
  readonly wish: ModelWish;
  /** When the reply comes too late to be of use, at the latest when the attempt is over. */
  readonly until: AbortSignal;
  /** None for an aside. */
  readonly turns: Turns | null;
  readonly held?: Held | undefined;
}

export async function callModel(calling: Calling): Promise<Replied> {
  const { scope, model, wish, until } = calling;
  const { turn } = wish;
  for (let attempt = 1; ; attempt++) {
    const tried = await tryOnce(calling);
    if (tried.kind !== "failed") return tried;
    const { fault, message } = tried;
    const isLast = attempt >= TRIES || !WORTH_ANOTHER_TRY.has(fault);
    const delay = tried.retryAfterMs ?? FIRST_DELAY_MS * 2 ** (attempt - 1);
    const retryInMs = isLast || delay > LONGEST_DELAY_MS ? null : delay;
    await scope.append({ type: "model.failed", turn, model: model.name, kind: fault, message, retryInMs });
    if (retryInMs === null) return tried;
    await scope.sleep(retryInMs, until);
    if (until.aborted) return { kind: "late" };
  }
}

async function tryOnce(calling: Calling): Promise<Replied> {
  const { scope, model, wish, until, held } = calling;
  const affordable = await reserve(calling);
  if (affordable === null) return { kind: "unaffordable" };
  const { reservation, amount, maxOutputTokens } = affordable;
  const heard = await listen(scope, model, { ...wish, maxOutputTokens }, until);
  const { end } = heard;
  // What the provider does not tell counts as it was reserved: it may have cost that.
  const spent = end.usage === null ? amount : costOf(model, end.usage, end.type);
  const isReply = end.type === "end" && wish.isAside !== true;
  const settle = {
    type: "settle",
    reservation,
    spent,
    ...(end.usage === null ? ({ isBound: true } as const) : isReply ? {} : { usage: end.usage }), // a reply tells its own
    ...(wish.isAside === true ? ({ isAside: true } as const) : {}),
  } as const;
  if (isReply) {
    scope.soon(
      ...(heard.text === "" ? [] : [{ type: "message.said", text: heard.text } as const]),
      ...end.notes.map((text) => ({ type: "note.taken", level: "info", text }) as const),
      {
        type: "model.replied",
        turn: wish.turn,
        model: model.name,
        calls: [...heard.calls],
        opaque: end.opaque ?? null,
        stop: end.stop,
        usage: end.usage,
        microUsd: spent.microUsd,
      },
      settle,
    );
  } else scope.soon(settle);
  if (end.type === "end")
    return { kind: "replied", text: heard.text, calls: heard.calls, opaque: end.opaque ?? null, stop: end.stop };
  scope.signal.throwIfAborted();
  if (until.aborted || end.kind === "aborted") return { kind: "late" };
  const { kind: fault, message, retryAfterMs } = end;
  held?.again(amount);
  return { kind: "failed", fault, message, retryAfterMs };
}

interface Heard {
  readonly text: string;
  readonly calls: readonly ModelCall[];
  readonly end: Extract<ModelPart, { type: "end" | "error" }>;
}

async function listen(scope: AttemptScope, model: Model, wish: ModelWish, signal: AbortSignal): Promise<Heard> {
  let text = "";
  const calls: ModelCall[] = [];
  for await (const part of model.stream(wish, signal)) {
    switch (part.type) {
      case "text-delta":
        text += part.text;
        scope.live({ type: "text-delta", text: part.text });
        break;
      case "reasoning-delta":
        scope.live({ type: "reasoning-delta", text: part.text });
        break;
      case "call":
        calls.push(part.call);
        break;
      case "end":
      case "error":
        return { text, calls: withOwnIds(calls), end: part };
    }
  }
  return {
    text,
    calls,
    end: { type: "error", kind: "unavailable", message: "the model's reply just stopped", usage: null },
  };
}

/** Some models name two calls alike, or not at all; results are matched by these names. */
function withOwnIds(calls: readonly ModelCall[]): ModelCall[] {
  const seen = new Set<string>();
  return calls.map((call, index) => {
    const id = call.id === "" || seen.has(call.id) ? `${call.id}#${index}` : call.id;
    seen.add(id);
    return { ...call, id };
  });
}

interface Affordable {
  readonly reservation: Exclude<Awaited<ReturnType<AttemptScope["reserve"]>>, false>;
  readonly amount: Cost;
  readonly maxOutputTokens: number;
}

/**
 * The largest reply that the budget still allows, down to one that is not worth asking for. What others have under way is
 * rather waited for than that replies are made so small that they break off.
 */
async function reserve({ scope, model, wish, until, turns, held }: Calling): Promise<Affordable | null> {
  const inputTokens = estimateRequest(wish.messages, wish.tools);
  const waitedFor = held === undefined ? SMALL_REPLY : SHORTEST_REPLY; // what is kept for it has room for a short one
  let maxOutputTokens = wish.maxOutputTokens;
  for (;;) {
    const amount = boundOf(model, inputTokens, maxOutputTokens);
    const begins = turns?.begins;
    const insteadOf = await held?.kept();
    const waitUntil = wish.isHurried === true || maxOutputTokens > waitedFor ? undefined : until;
    const reservation = await scope.reserve(amount, { begins, insteadOf, waitUntil });
    if (reservation !== false) {
      held?.given();
      if (begins !== undefined) turns?.add(begins);
      return { reservation, amount, maxOutputTokens };
    }
    if (maxOutputTokens <= SHORTEST_REPLY) return null;
    maxOutputTokens = Math.max(SHORTEST_REPLY, Math.floor(maxOutputTokens / 2));
  }
}

export const estimateRequest = (messages: readonly ModelMessage[], tools: readonly ModelTool[]): number =>
  estimateOnce(messages, estimateMessages) + estimateOnce(tools, estimateTools);

/** The same tools are sent with every call of an agent, and what is sent was looked at before. */
const estimated = new WeakMap<readonly object[], number>();

function estimateOnce<T extends object>(list: readonly T[], estimate: (list: readonly T[]) => number): number {
  const known = estimated.get(list);
  if (known !== undefined) return known;
  const tokens = estimate(list);
  estimated.set(list, tokens);
  return tokens;
}

const estimateMessages = (messages: readonly ModelMessage[]): number =>
  messages.reduce((sum, message) => sum + estimateMessage(message), 0);

const estimateTools = (tools: readonly ModelTool[]): number =>
  tools.length === 0 ? 0 : FOR_TOOLS + estimateTokens(JSON.stringify(tools));

/** Providers put words of their own before a model that is given tools, and count them. */
const FOR_TOOLS = 500;

const PER_MESSAGE = 8;

export const estimateMessage = (message: ModelMessage): number =>
  PER_MESSAGE +
  estimateTokens(message.text) +
  (message.role === "assistant" ? estimateJson(message.calls) + estimateJson(message.opaque) : 0);

const estimateJson = (value: Json | readonly ModelCall[] | undefined): number =>
  value === undefined || value === null ? 0 : estimateTokens(JSON.stringify(value));

/** The dearest that a call may come to: all of its input written to a cache, the longest reply. */
export function boundOf(model: Model, inputTokens: number, outputTokens: number): Cost {
  const usage = { inputTokens, outputTokens, cacheReadTokens: 0, cacheWriteTokens: inputTokens, reasoningTokens: 0 };
  return { microUsd: model.priceOf(usage)?.microUsd ?? null, tokens: inputTokens + outputTokens };
}

/** What was refused, or never sent, cost nothing, also where nobody knows the price. */
function costOf(model: Model, usage: ModelUsage, end: "end" | "error"): Cost {
  const tokens = usage.inputTokens + usage.outputTokens;
  return end === "error" && tokens === 0 ? NOTHING : { microUsd: model.priceOf(usage)?.microUsd ?? null, tokens };
}
