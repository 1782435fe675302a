// One peer at work on one task: prompts, and what each of them comes to.
import type { AttemptScope, BackendEnd, Clock } from "../../ports/index.ts";
import type { Amount } from "../../schema/index.ts";
import { jsonIn } from "../driven/json-answer.ts";
import type { Connection } from "./connection.ts";
import { revisionPrompt } from "./first-prompt.ts";
import { Prompted } from "./messages.ts";
import { fail, failureOfStop } from "./peer-end.ts";
import type { OwnTools } from "../own-tools/own-tools.ts";
import type { PeerDesks } from "./peer-desks.ts";

const CANCEL_MS = 10_000;

export interface ConversationParts {
  readonly connection: Connection;
  readonly session: string;
  readonly desks: PeerDesks;
  readonly scope: Pick<AttemptScope, "signal" | "hear">;
  readonly clock: Clock;
  readonly wantsJson: boolean;
  readonly own: OwnTools | undefined;
  /** What it means that the peer did not answer, or answered with an error. */
  readonly failureOf: (error: unknown) => Promise<BackendEnd>;
  /** Ends the program. */
  readonly close: () => Promise<void>;
}

export class Conversation {
  readonly #parts: ConversationParts;
  #tokens: number | undefined;

  constructor(parts: ConversationParts) {
    this.#parts = parts;
  }

  /** A prompt, and what people say meanwhile as further ones. Whatever comes of it but an answer, the program is ended. */
  async run(text: string): Promise<BackendEnd> {
    try {
      const end = await this.#runAll(text);
      if (end.kind === "failed") await this.#parts.close();
      return end;
    } catch (error) {
      await this.#parts.close();
      throw error;
    }
  }

  async #runAll(text: string): Promise<BackendEnd> {
    const { scope, desks, wantsJson, own, close } = this.#parts;
    for (let next = text; next !== "";) {
      const failure = await this.#prompt(next);
      await own?.idle();
      if (failure !== undefined) {
        if (own?.finished === undefined) return { ...failure, spent: this.#spent };
        break;
      }
      scope.signal.throwIfAborted();
      next = (await scope.hear()).map((heard) => heard.text).join("\n\n");
      if (next !== "" || own === undefined) continue;
      const left = await own.left();
      if (left.kind === "stuck") return { ...left.end, spent: this.#spent };
      if (left.kind === "tell") next = left.text;
    }
    const { answer, output } = own?.finished ?? answerIn(desks.updates.answer, wantsJson);
    if (answer === "" && desks.refusal !== undefined)
      return { ...fail("no_completion", `the peer gave up when it was refused: ${desks.refusal}`), spent: this.#spent };
    return {
      kind: "answered",
      answer,
      output,
      spent: this.#spent,
      revise: (feedback) => {
        own?.reopen();
        return this.run(revisionPrompt(feedback, wantsJson, own?.exits ?? []));
      },
      close: async () => {
        await close();
        return undefined;
      },
    };
  }

  /** Only where the peer says how many tokens it took: otherwise all that was set aside counts as spent. */
  get #spent(): Amount | undefined {
    return this.#tokens === undefined
      ? undefined
      : { tokens: this.#tokens, microUsd: this.#parts.desks.updates.microUsd };
  }

  /** Undefined: it ended its turn as it should. */
  async #prompt(text: string): Promise<BackendEnd | undefined> {
    const { connection, session, desks, scope, failureOf } = this.#parts;
    const { talk, updates, breakOff } = desks;
    await updates.begin();
    if (desks.broken !== undefined) return desks.broken;
    const cancel = () => connection.notify("session/cancel", { sessionId: session });
    const over = AbortSignal.any([scope.signal, breakOff]);
    over.addEventListener("abort", cancel, { once: true });
    talk.isAtWork = true;
    let answer: unknown;
    try {
      const reply = connection.request("session/prompt", { sessionId: session, prompt: [{ type: "text", text }] });
      if (over.aborted) cancel();
      answer = await Promise.race([reply, this.#brokenOff()]);
    } catch (error) {
      return desks.broken ?? (await failureOf(error));
    } finally {
      talk.isAtWork = false;
      over.removeEventListener("abort", cancel);
    }
    if (talk.problem !== undefined) throw new Error("an update could not be taken", { cause: talk.problem });
    await updates.end();
    return desks.broken ?? this.#failureIn(answer);
  }

  #failureIn(answer: unknown): BackendEnd | undefined {
    const read = Prompted.safeParse(answer);
    if (!read.success) return fail("backend_error", "the peer answered the prompt with something else");
    const { usage, stopReason } = read.data;
    if (usage !== undefined) this.#tokens = (this.#tokens ?? 0) + usage.totalTokens;
    return failureOfStop(stopReason, this.#parts.desks.refusal);
  }

  /** A peer that was told to stop has a while to do so, and is then not waited for. */
  async #brokenOff(): Promise<undefined> {
    const { desks, clock, scope } = this.#parts;
    const { breakOff } = desks;
    if (!breakOff.aborted)
      await new Promise<void>((resolve) => breakOff.addEventListener("abort", () => resolve(), { once: true }));
    await clock.sleep(CANCEL_MS, scope.signal);
    return undefined;
  }
}

const answerIn = (answer: string, wantsJson: boolean) => ({ answer, output: wantsJson ? jsonIn(answer) : undefined });
