// What was said so far, as a model is to see it. It is folded from the log, so an attempt that goes on after a crash
// begins where the last one was, and nothing lives anywhere else.
import type { ModelMessage, TurnStarted } from "../ports/index.ts";
import type { CallId, TaskEvent, TaskId } from "../schema/index.ts";
import type { Reply } from "./call-model.ts";
import { ANOTHER_ATTEMPT, type Limit, limitIn } from "./instructions.ts";
import { Untold } from "./untold.ts";

export interface CallResult {
  readonly text: string;
  readonly isError: boolean;
  /** It is not the whole, which was kept. */
  readonly truncated: boolean;
}

export interface Turn extends Reply {
  readonly turn: number;
  /** By the model's own names for its calls. */
  readonly results: Map<string, CallResult>;
  /** Calls that were begun, by the same names: those without a result were under way when a worker died. */
  readonly begun: Map<string, CallId>;
  /** What the agent was told after it. */
  readonly told: string[];
  /** It was cut off, and the agent was asked to go on with it. */
  goesOn: boolean;
}

/** There were calls, and each of them has ended. */
export const hasResults = ({ calls, results }: Turn): boolean =>
  calls.length > 0 && calls.every(({ id }) => results.has(id));

export class Conversation {
  /** The first message; null until the attempt has made it. */
  task: string | null = null;
  summary: { readonly through: number; readonly text: string; readonly plan: string } | null = null;
  readonly turns: Turn[] = [];
  /** Turns of the agent's own that were started, whether or not a reply came: not those for its last words. */
  taken = 0;
  /** The last turn that is said to have ended. */
  ended = 0;
  nudges = 0;
  /** The limit that was reached, once the agent was asked for its last words; they come after so many replies. */
  grace: { readonly limit: Limit; readonly after: number } | null = null;
  /** After so many replies a gate was not content. */
  sentBack: number | null = null;
  readonly #untold = new Untold();
  #started = { turn: 0, isGrace: false };
  #said = "";
  #lastTold = "";
  readonly #callNames = new Map<CallId, string>();

  static fold(events: readonly TaskEvent[]): Conversation {
    const conversation = new Conversation();
    for (const event of events) conversation.add(event);
    return conversation;
  }

  get last(): Turn | undefined {
    return this.turns.at(-1);
  }

  /** The number of the turn that the next reply is for. */
  get turn(): number {
    return this.#isInTurn ? this.#started.turn : this.#started.turn + 1;
  }

  /** What begins that turn; undefined where it was begun and no reply has come: it goes on under its number. */
  get begins(): TurnStarted | undefined {
    if (this.#isInTurn) return undefined;
    return { type: "turn.started", turn: this.turn, ...(this.grace === null ? {} : { isGrace: true }) };
  }

  get #isInTurn(): boolean {
    const { turn, isGrace } = this.#started;
    return turn > (this.last?.turn ?? 0) && isGrace === (this.grace !== null);
  }

  /** Children whose end is in the log, and that the agent was not told of before its worker died. */
  get untold(): readonly TaskId[] {
    return this.#untold.children;
  }

  /** Whether the agent has had news of this child. */
  isTold(child: TaskId): boolean {
    return this.#untold.isTold(child);
  }

  add(event: TaskEvent): void {
    this.#untold.add(event);
    switch (event.type) {
      case "instruction.added":
        if (event.because === "task") this.task ??= event.text;
        else this.#tell(event.text);
        if (event.because === "nudge") this.nudges++;
        if (event.because === "limit" && this.last !== undefined) this.last.goesOn = true;
        if (event.because === "gate") this.sentBack = this.turns.length;
        if (event.because === "grace") this.grace = { limit: limitIn(event.text), after: this.turns.length };
        break;
      case "turn.started":
        this.#started = { turn: Math.max(this.#started.turn, event.turn), isGrace: event.isGrace === true };
        if (event.isGrace !== true) this.taken++;
        this.#said = "";
        break;
      case "turn.ended":
        this.ended = Math.max(this.ended, event.turn);
        break;
      case "message.said":
        this.#said = event.text;
        break;
      case "model.replied":
        this.reply(event.turn, { text: this.#said, calls: event.calls, opaque: event.opaque, stop: event.stop });
        break;
      case "tool.called":
        this.#begin(event.of, event.call);
        break;
      case "tool.refused":
        this.#begin(event.of, event.call);
        this.#result(event.call, { text: refusal(event.decision.rule), isError: true, truncated: false });
        break;
      case "tool.returned":
        this.#result(event.call, { text: event.output, isError: !event.ok, truncated: event.truncated });
        break;
      case "message.received":
        this.#tell(messageFrom(event.by, event.text));
        break;
      case "attempt.ended":
        this.#tryAgain();
        break;
      case "history.compacted":
        this.summary = { through: event.through, text: event.summary, plan: event.plan ?? "" };
        break;
      case "results.shortened":
        for (const { call, output } of event.results) this.#shorten(call, output);
        break;
      // What else happened is not part of the conversation.
      case "task.admitted":
      case "task.requeued":
      case "task.interrupted":
      case "task.ended":
      case "attempt.started":
      case "attempt.suspended":
      case "attempt.resumed":
      case "attempt.prepared":
      case "workspace.kept":
      case "tool.reported":
      case "model.failed":
      case "approval.asked":
      case "approval.answered":
      case "approval.expired":
      case "child.started":
      case "child.ended":
      case "budget.reserved":
      case "budget.settled":
      case "gate.checked":
      case "host.refused":
      case "note.taken":
        break;
    }
  }

  reply(turn: number, reply: Reply): void {
    this.turns.push({ turn, ...reply, results: new Map(), begun: new Map(), told: [], goesOn: false });
  }

  /** As a model is given it. Every call has exactly one result: providers refuse anything else. */
  messages(system: string): ModelMessage[] {
    const summary = this.summary;
    const shown = this.turns.filter(({ turn }) => turn > (summary?.through ?? 0));
    return [
      { role: "system", text: system },
      { role: "user", text: this.task ?? "" },
      ...(summary === null ? [] : [{ role: "user", text: summaryMessage(summary.text) } as const]),
      ...(summary === null || summary.plan === "" ? [] : [{ role: "user", text: planMessage(summary.plan) } as const]),
      ...shown.flatMap(turnMessages),
    ];
  }

  /** The least that makes sense, so many characters of each part: where the whole cannot be paid for, or does not fit. */
  shortMessages(system: string, chars: number): ModelMessage[] {
    const said = this.turns.findLast(({ text }) => text !== "")?.text ?? "";
    const news = this.last?.told.slice(0, -1).join("\n\n") ?? ""; // it may have been waited for
    const [shown, ...parts] = [system, said, news, this.#lastTold].map((part) => part.slice(0, chars).toWellFormed());
    return [
      { role: "system", text: shown ?? "" },
      { role: "user", text: parts.filter((part) => part !== "").join("\n\n") },
    ];
  }

  #tell(text: string): void {
    this.#lastTold = text;
    const last = this.last;
    if (last !== undefined) last.told.push(text);
    else this.task = this.task === null ? text : `${this.task}\n\n${text}`;
  }

  /** An attempt that had its last words was over, and there is another one all the same. */
  #tryAgain(): void {
    if (this.grace === null) return;
    this.grace = null;
    this.#tell(ANOTHER_ATTEMPT);
  }

  #begin(of: string | null, call: CallId): void {
    if (of === null) return;
    this.#callNames.set(call, of);
    this.last?.begun.set(of, call);
  }

  #result(call: CallId, result: CallResult): void {
    const of = this.#callNames.get(call);
    if (of !== undefined) this.last?.results.set(of, result);
  }

  #shorten(call: CallId, text: string): void {
    const before = this.last?.results.get(this.#callNames.get(call) ?? "");
    if (before !== undefined) this.#result(call, { ...before, text, truncated: true });
  }
}

/** How the policy words a call that a tool could not read. */
const UNREADABLE = "input: ";

/** A call that the tool could not read says so by itself; any other refusal is a rule's. */
const refusal = (rule: string): string =>
  rule.startsWith(UNREADABLE)
    ? rule.slice(UNREADABLE.length)
    : `Refused (${rule}). Do not repeat the call; find another way, or say what is missing.`;

const messageFrom = (by: string, text: string): string => `Message from ${by}, while you work:\n${text}`;

const summaryMessage = (text: string): string => `What happened so far, summed up because it was long:\n${text}`;

const planMessage = (plan: string): string => `Your plan, as it stood then:\n${plan}`;

const NOT_RUN: CallResult = { text: "This call was not run.", isError: true, truncated: false };

function turnMessages({ text, calls, opaque, results, told }: Turn): ModelMessage[] {
  const reply: ModelMessage = { role: "assistant", text, calls, ...(opaque === null ? {} : { opaque }) };
  return [
    reply,
    ...calls.map(({ id }): ModelMessage => {
      const { text: shown, isError } = results.get(id) ?? NOT_RUN;
      return { role: "tool", call: id, text: shown, isError };
    }),
    ...told.map((line): ModelMessage => ({ role: "user", text: line })),
  ];
}
