// Plays a tape: what is said is scripted, what is done is real, and goes through the same policy, approvals
// and budgets like those of every agent. Strict: a step that does not fit and a step that is left over both fail.
import type { Answered, Attempt, AttemptScope, Backend, BackendEnd } from "../../ports/index.ts";
import { type TapeCall, type TapeStep, Tape } from "../../schema/index.ts";
import { playCall, TapeMismatch } from "./play-call.ts";

const MEGABYTE = 1024 * 1024;

export function tapeBackend(): Backend {
  return {
    name: "tape",
    capabilities: {
      resume: "none",
      approvals: true,
      steering: true,
      structuredOutput: true,
      toolFilter: true,
      usage: "per-call",
      largestPromptBytes: 10 * MEGABYTE,
      processes: false,
      lastWords: false,
    },
    async run(attempt, scope) {
      const tape = attempt.task.spec.definition.tape;
      if (tape === undefined) return fail(`"${attempt.task.spec.definition.name}" has no tape to play`);
      return new Player(Tape.parse(tape), attempt, scope).play();
    },
  };
}

const fail = (message: string): BackendEnd => ({ kind: "failed", reason: "backend_error", message });

class Player {
  readonly #steps: readonly TapeStep[];
  readonly #attempt: Attempt;
  readonly #scope: AttemptScope;
  #next = 0;
  #turn = 0;
  #isInTurn = false;

  constructor(steps: readonly TapeStep[], attempt: Attempt, scope: AttemptScope) {
    this.#steps = steps;
    this.#attempt = attempt;
    this.#scope = scope;
  }

  async play(): Promise<BackendEnd> {
    try {
      for (let step = this.#take(); step !== undefined; step = this.#take()) {
        const end = await this.#playStep(step);
        if (end !== undefined) return end;
      }
    } catch (error) {
      if (error instanceof TapeMismatch) return fail(error.message);
      throw error;
    }
    return { kind: "failed", reason: "no_completion", message: "the tape ended without an answer" };
  }

  #take(): TapeStep | undefined {
    this.#scope.signal.throwIfAborted();
    return this.#steps[this.#next++];
  }

  async #playStep(step: TapeStep): Promise<BackendEnd | undefined> {
    const scope = this.#scope;
    if ("say" in step) return this.#say(step.say);
    if ("together" in step) {
      await scope.together(step.together.map((call: TapeCall) => () => playCall(call, this.#attempt, scope)));
      return undefined;
    }
    if ("spend" in step) return this.#spend(step.spend);
    if ("pause_ms" in step) await scope.sleep(step.pause_ms);
    else if ("hear" in step) await this.#hear(step.hear);
    else if ("hang" in step) await new Promise(() => undefined); // ends only when it is left behind
    else if ("crash" in step) throw new Error(step.crash);
    else if ("fail" in step) return { kind: "failed", reason: step.fail, message: step.message };
    else if ("answer" in step) return (await this.#say(step.answer)) ?? (await this.#answer(step));
    else if ("feedback" in step) throw new TapeMismatch("the tape expects feedback before there was an answer");
    else await playCall(step, this.#attempt, scope);
    return undefined;
  }

  /** Every text is the model's reply of one turn; the calls after it are what it led to. */
  async #say(text: string): Promise<BackendEnd | undefined> {
    if (this.#turn >= this.#attempt.task.spec.limits.maxTurns) {
      return { kind: "failed", reason: "max_turns", message: `not done after ${this.#turn} turns` };
    }
    await this.#endTurn();
    this.#turn++;
    this.#isInTurn = true;
    await this.#scope.append({ type: "turn.started", turn: this.#turn });
    for (const word of text.match(/\S+\s*/g) ?? []) this.#scope.live({ type: "text-delta", text: word });
    if (text !== "") await this.#scope.append({ type: "message.said", text });
    return undefined;
  }

  async #endTurn(): Promise<void> {
    if (this.#isInTurn) await this.#scope.append({ type: "turn.ended", turn: this.#turn });
    this.#isInTurn = false;
  }

  async #spend(amount: { microUsd: number; tokens: number }): Promise<BackendEnd | undefined> {
    const reservation = await this.#scope.reserve(amount);
    if (reservation === false)
      return { kind: "failed", reason: "budget", message: "the next call does not fit the budget" };
    await this.#scope.append({ type: "settle", reservation, spent: amount });
    return undefined;
  }

  async #hear(expected: string): Promise<void> {
    const { text } = await this.#scope.hearNext();
    if (!text.includes(expected)) throw new TapeMismatch(`the tape expects to hear "${expected}", and heard "${text}"`);
  }

  async #answer({ answer, output }: Extract<TapeStep, { answer: string }>): Promise<Answered> {
    await this.#endTurn();
    return {
      kind: "answered",
      answer,
      output,
      revise: async (feedback) => {
        const step = this.#take();
        if (step === undefined || !("feedback" in step))
          return fail(`the tape has no step for this feedback: ${feedback}`);
        if (!feedback.includes(step.feedback))
          return fail(`the tape expects the feedback "${step.feedback}", and got: ${feedback}`);
        return this.play();
      },
      close: async () => {
        const left = this.#steps.length - this.#next;
        return left > 0
          ? `the tape has ${left} ${left === 1 ? "step that was" : "steps that were"} not played`
          : undefined;
      },
    };
  }
}
