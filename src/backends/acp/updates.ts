// What a peer tells while it works: shown as it comes, and written down where it is a fact. However much it is, what is
// held and what is written is bounded.
import type { AttemptScope } from "../../ports/index.ts";
import { oneLine } from "../../domain/summaries.ts";
import { Update } from "./messages.ts";
import type { ToolReports } from "./tool-reports.ts";

const LIVE_CHARS = 8 * 1024;
const MAX_NOTES = 100;
const MAX_MESSAGES = 1_000;
const MAX_NOTE = 2_000;
const ONE_MORE = 64; // than is let through, so that the engine sees that there was more

export interface UpdateParts {
  readonly scope: Pick<AttemptScope, "append" | "live">;
  readonly reports: ToolReports;
  readonly maxOutputKb: number;
  readonly maxTurns: number;
  /** One turn more than there may be. */
  readonly onTooManyTurns: () => void;
  /** The peer says that it is in another mode now. */
  readonly onMode: (mode: string) => void;
}

export class Updates {
  readonly #parts: UpdateParts;
  readonly #maxChars: number;
  #message = "";
  #messageId: string | undefined;
  #answer = "";
  #messages = 0;
  #notes = 0;
  #plan = "";
  #turn = 0;
  #isInTurn = false;
  #hasCalls = false;
  #usd: number | undefined;
  #isCostNew = false;
  #tokens: number | undefined;

  constructor(parts: UpdateParts) {
    this.#parts = parts;
    this.#maxChars = parts.maxOutputKb * 1024 + ONE_MORE;
  }

  /** The last that it said. */
  get answer(): string {
    return this.#answer;
  }

  /** What it says that all of it has cost, in millionths of a dollar. Null: nothing, or nothing of the last prompt. */
  get microUsd(): number | null {
    return this.#usd === undefined || !this.#isCostNew ? null : Math.round(this.#usd * 1_000_000);
  }

  /** What it has said beside its words since this was last asked that its calls took. Undefined: nothing. */
  takeTokens(): number | undefined {
    const tokens = this.#tokens;
    this.#tokens = undefined;
    return tokens;
  }

  #countTokens(tokens: number | undefined): void {
    if (tokens !== undefined) this.#tokens = (this.#tokens ?? 0) + tokens;
  }

  async begin(): Promise<void> {
    this.#answer = "";
    this.#isCostNew = false;
    await this.#nextTurn();
  }

  async take(raw: unknown): Promise<void> {
    const read = Update.safeParse(raw);
    if (!read.success) return; // a kind that we do not know, or that is not what it should be
    const update = read.data;
    switch (update.sessionUpdate) {
      case "agent_message_chunk":
        if (update.messageId !== undefined && update.messageId !== this.#messageId) await this.#endMessage();
        this.#messageId = update.messageId;
        this.#countTokens(update._meta?.usage?.totalTokens);
        return this.#say(update.content.text ?? "");
      case "agent_thought_chunk":
        return this.#show("reasoning-delta", update.content.text ?? "");
      case "tool_call":
        await this.#endMessage();
        // Another call while none is under way: the model has been asked again.
        if (this.#hasCalls && !this.#parts.reports.areOpen) await this.#nextTurn();
        this.#hasCalls = true;
        return this.#parts.reports.take(update);
      case "tool_call_update":
        return this.#parts.reports.take(update);
      case "plan":
        return this.#planned(update.entries);
      case "usage_update":
        if (update.cost?.currency !== "USD") return;
        this.#usd = Math.max(this.#usd ?? 0, update.cost.amount);
        this.#isCostNew = true;
        return;
      case "current_mode_update":
        return this.#parts.onMode(update.currentModeId);
      case "config_option_update":
        for (const { category, currentValue } of update.configOptions)
          if (category === "mode") this.#parts.onMode(currentValue);
        return;
      case "notice": {
        const level = update.severity === "info" ? "info" : "warning";
        return this.#note(level, [update.title, update.description].filter(Boolean).join(": "));
      }
    }
  }

  /** The turn is over. */
  async end(): Promise<void> {
    await this.#endMessage();
    await this.#parts.reports.endOpen();
    if (this.#isInTurn) await this.#parts.scope.append({ type: "turn.ended", turn: this.#turn });
    this.#isInTurn = false;
  }

  async #nextTurn(): Promise<void> {
    const { scope, maxTurns, onTooManyTurns } = this.#parts;
    if (this.#turn >= maxTurns) return onTooManyTurns();
    if (this.#isInTurn) await scope.append({ type: "turn.ended", turn: this.#turn });
    this.#isInTurn = true;
    this.#hasCalls = false;
    await scope.append({ type: "turn.started", turn: ++this.#turn });
  }

  #say(text: string): void {
    this.#show("text-delta", text);
    if (this.#message.length < this.#maxChars) this.#message += text.slice(0, this.#maxChars - this.#message.length);
  }

  #show(type: "text-delta" | "reasoning-delta", text: string): void {
    for (let at = 0; at < text.length; at += LIVE_CHARS) {
      this.#parts.scope.live({ type, text: text.slice(at, at + LIVE_CHARS) });
    }
  }

  async #endMessage(): Promise<void> {
    const text = this.#message.toWellFormed();
    this.#message = "";
    if (text.trim() === "") return;
    this.#answer = text;
    if (++this.#messages <= MAX_MESSAGES) await this.#parts.scope.append({ type: "message.said", text });
  }

  async #planned(entries: readonly { readonly content: string; readonly status: string }[]): Promise<void> {
    const lines = entries.map(({ content, status }) => `[${status === "completed" ? "x" : " "}] ${content}`);
    const plan = lines.join("; ");
    if (plan === this.#plan || plan === "") return;
    this.#plan = plan;
    await this.#note("info", `plan: ${plan}`);
  }

  async #note(level: "info" | "warning", text: string): Promise<void> {
    if (++this.#notes > MAX_NOTES) return;
    await this.#parts.scope.append({ type: "note.taken", level, text: oneLine(text, MAX_NOTE) });
  }
}
