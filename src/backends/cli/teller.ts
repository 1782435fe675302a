// Says in the attempt's log what a CLI has said: turns, messages, tools, notes. Everything is bounded, and cut only after
// known secrets are out of it.
import { capText } from "../../domain/summaries.ts";
import type { AttemptScope } from "../../ports/index.ts";
import type { CallId } from "../../schema/index.ts";
import type { Said } from "./said.ts";

const LIVE_CHARACTERS = 8 * 1024;
const MOST_NOTES = 50;

type Of<Kind extends Said["kind"]> = Extract<Said, { kind: Kind }>;

export class Teller {
  readonly #scope: AttemptScope;
  readonly #maxOutputKb: number;
  readonly #calls = new Map<string, CallId>();
  readonly #turnsBefore: number;
  #turn: number;
  #isInTurn = false;
  #notes = 0;

  constructor(scope: AttemptScope, maxOutputKb: number, turnsBefore: number) {
    this.#scope = scope;
    this.#maxOutputKb = maxOutputKb;
    this.#turnsBefore = turnsBefore;
    this.#turn = turnsBefore;
  }

  /** Of this attempt. */
  get turns(): number {
    return this.#turn - this.#turnsBefore;
  }

  async turnBegins(): Promise<void> {
    await this.turnEnds();
    this.#turn++;
    this.#isInTurn = true;
    await this.#scope.append({ type: "turn.started", turn: this.#turn });
  }

  async turnEnds(): Promise<void> {
    if (!this.#isInTurn) return;
    this.#isInTurn = false;
    await this.#scope.append({ type: "turn.ended", turn: this.#turn });
  }

  async said(text: string): Promise<void> {
    if (text.trim() === "") return;
    if (!this.#isInTurn) await this.turnBegins();
    await this.#scope.append({ type: "message.said", text: this.#capped(text).text });
  }

  part({ of, text }: Of<"part">): void {
    const type = of === "text" ? "text-delta" : "reasoning-delta";
    for (let at = 0; at < text.length; at += LIVE_CHARACTERS)
      this.#scope.live({ type, text: text.slice(at, at + LIVE_CHARACTERS) });
  }

  /** The policy's word, asked before the tool runs. */
  async permit({ id, wanted }: Of<"wants">): Promise<{ readonly isAllowed: boolean; readonly rule: string }> {
    if (!this.#isInTurn) await this.turnBegins();
    const { tool, use, input, problem } = wanted;
    const { kind, call, decision } = await this.#scope.permit({ tool, ...use, input, of: id, problem });
    if (kind === "allowed") this.#calls.set(id, call);
    return { isAllowed: kind === "allowed", rule: decision.rule };
  }

  async returned({ id, ok, output }: Of<"returned">): Promise<void> {
    const call = this.#calls.get(id);
    if (call === undefined) return; // refused, or never asked about
    this.#calls.delete(id);
    const { text, truncated } = this.#capped(output);
    await this.#scope.append({ type: "tool.returned", call, ok, output: text, truncated });
  }

  async used({ tool, effect, input, ok, output }: Of<"used">): Promise<void> {
    if (!this.#isInTurn) await this.turnBegins();
    const { text, truncated } = this.#capped(output);
    await this.#scope.append({ type: "tool.reported", tool, effect, input, ok, output: text, truncated });
  }

  async note(level: "info" | "warning", text: string): Promise<void> {
    if (++this.#notes > MOST_NOTES) return;
    await this.#scope.append({ type: "note.taken", level, text: this.#capped(text).text });
  }

  clean(text: string): string {
    return this.#scope.redact(text);
  }

  #capped(text: string): { text: string; truncated: boolean } {
    return capText(this.#scope.redact(text), this.#maxOutputKb);
  }
}
