// One peer at work on one task: prompts, and what each of them comes to.
import type { AttemptScope, BackendEnd, Clock } from "../../ports/index.ts";
import type { Cost, ModelUsage } from "../../schema/index.ts";
import { jsonIn } from "../driven/json-answer.ts";
import type { Connection } from "./connection.ts";
import { revisionPrompt } from "./first-prompt.ts";
import { Prompted } from "./messages.ts";
import { fail, failureOfStop } from "./peer-end.ts";
import type { OwnTools } from "../own-tools/own-tools.ts";
import type { PeerDesks } from "./peer-desks.ts";
import { ToldTokens } from "./told-tokens.ts";

const CANCEL_MS = 10_000;
/** How often a peer that stops when it is refused something is told to go on. */
const MOST_GOING_ON = 10;

export interface ConversationParts {
  readonly connection: Connection;
  readonly session: string;
  readonly desks: PeerDesks;
  readonly scope: Pick<AttemptScope, "signal" | "hear" | "append">;
  readonly clock: Clock;
  readonly wantsJson: boolean;
  /** What the peer itself says where a turn ended by a refusal: no words of its model's. */
  readonly cancelledWords: string | undefined;
  readonly takeUsage: () => ModelUsage | undefined;
  readonly own: OwnTools | undefined;
  /** What it means that the peer did not answer, or answered with an error. */
  readonly failureOf: (error: unknown) => Promise<BackendEnd>;
  /** Ends the program. */
  readonly close: () => Promise<void>;
}

interface Prompt {
  readonly failure?: BackendEnd | undefined;
  readonly isCancelled?: boolean | undefined;
}

interface Asked extends Prompt {
  /** What the peer says with its answer that the prompt took. */
  readonly tokens?: number | undefined;
}

export class Conversation {
  readonly #parts: ConversationParts;
  readonly #seen = new ToldTokens();
  readonly #said = new ToldTokens();
  readonly #saidBeside = new ToldTokens();
  #goingOn = 0;

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
      const refusals = desks.refusals;
      const { failure, isCancelled } = await this.#prompt(next);
      await own?.idle();
      if (desks.refusals > refusals && (isCancelled || this.#answer === "") && own?.finished === undefined) {
        next = await this.#goOn();
        if (next !== "") continue;
      }
      if (failure !== undefined) {
        if (own?.finished === undefined) return { ...failure, spent: this.#spent() };
        break;
      }
      scope.signal.throwIfAborted();
      next = (await scope.hear()).map((heard) => heard.text).join("\n\n");
      if (next !== "" || own === undefined) continue;
      const left = await own.left();
      if (left.kind === "stuck") return { ...left.end, spent: this.#spent() };
      if (left.kind === "tell") next = left.text;
    }
    const { answer, output } = own?.finished ?? answerIn(this.#answer, wantsJson);
    if (answer === "" && desks.refusal !== undefined)
      return {
        ...fail("no_completion", `the peer gave up when it was refused: ${desks.refusal}`),
        spent: this.#spent(),
      };
    return {
      kind: "answered",
      answer,
      output,
      exit: own?.finished?.exit,
      spent: this.#spent(),
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

  get #answer(): string {
    const { desks, cancelledWords } = this.#parts;
    const { answer } = desks.updates;
    return answer.trim() === cancelledWords ? "" : answer;
  }

  /** Some peers end their turn when they are refused something. Empty: it was told often enough. */
  async #goOn(): Promise<string> {
    const { scope, desks } = this.#parts;
    if (this.#goingOn++ >= MOST_GOING_ON || scope.signal.aborted) return "";
    const text = `You stopped because something was not allowed (${desks.refusal ?? "no reason given"}). It stays so: do not look for another way to do it. Go on with your task without it; if that cannot be, say so, and say how far you came.`;
    await scope.append({ type: "instruction.added", because: "nudge", text });
    return text;
  }

  /**
   * What was seen on the way to its model, else what the peer says: some say it of their last call only. Where nobody
   * speaks of every prompt, all that was set aside counts as spent.
   */
  #spent(): Cost | undefined {
    const { desks, takeUsage } = this.#parts;
    const seen = takeUsage();
    this.#seen.add(seen && seen.inputTokens + seen.outputTokens);
    const tokens = this.#seen.all ?? this.#said.all ?? this.#saidBeside.all;
    return tokens === undefined ? undefined : { tokens, microUsd: tokens === 0 ? 0 : desks.updates.microUsd };
  }

  /** Without a failure it ended its turn as it should. `isCancelled`: the peer says that the turn was broken off. */
  async #prompt(text: string): Promise<Prompt> {
    const { desks } = this.#parts;
    await desks.updates.begin();
    if (desks.broken !== undefined) return { failure: desks.broken };
    const { tokens, ...prompt } = await this.#ask(text);
    this.#said.add(tokens);
    this.#saidBeside.add(desks.updates.takeTokens());
    return prompt;
  }

  async #ask(text: string): Promise<Asked> {
    const { connection, session, desks, scope, failureOf } = this.#parts;
    const { talk, updates, breakOff } = desks;
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
      return { failure: desks.broken ?? (await failureOf(error)) };
    } finally {
      talk.isAtWork = false;
      over.removeEventListener("abort", cancel);
    }
    if (talk.problem !== undefined) throw new Error("an update could not be taken", { cause: talk.problem });
    await updates.end();
    return desks.broken === undefined ? this.#read(answer) : { failure: desks.broken };
  }

  #read(answer: unknown): Asked {
    const read = Prompted.safeParse(answer);
    if (!read.success) return { failure: fail("backend_error", "the peer answered the prompt with something else") };
    const { usage, stopReason } = read.data;
    return {
      tokens: usage?.totalTokens,
      failure: failureOfStop(stopReason, this.#parts.desks.refusal),
      isCancelled: stopReason === "cancelled",
    };
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
