// Our own agent loop: a reply, the calls that it asks for, the next reply, until the agent has said that it is done.
// Every step is in the log before the next one begins, so any of them can be the last before a crash.
import { nudgeMessage } from "../domain/reminders.ts";
import { systemPrompt } from "../domain/system-prompt.ts";
import type { Answered, Attempt, AttemptScope, BackendEnd, Model, ModelTool, Tool, ToolSet } from "../ports/index.ts";
import type { Exit, TaskEvent, TaskView } from "../schema/index.ts";
import { Background } from "./background.ts";
import { callModel, type ModelWish, type Replied } from "./call-model.ts";
import { Conversation, hasResults, type Turn } from "./conversation.ts";
import { endingOf, exitTools, exitsOf, type Finished } from "./exits.ts";
import { failed, failedModel, isTooLong, refusal } from "./failed.ts";
import { firstMessage } from "./first-message.ts";
import { HeldBack } from "./held-back.ts";
import { cutOff, graceMessage, type Limit, limitMessage } from "./instructions.ts";
import type { LoopParts } from "./loop-parts.ts";
import { agentsToCall, canDelegate, offeredTools } from "./offered.ts";
import { Room } from "./room.ts";
import { runCalls } from "./run-calls.ts";
import { shorten } from "./shorten.ts";
import { endingByText } from "./text-answer.ts";

type Because = Extract<TaskEvent, { type: "instruction.added" }>["because"];

const GRACE_TOKENS = 4_000;
/** Characters of each part, where last words on the whole cannot be had. */
const SHORT_GRACE = [4_000, 1_000];

export class AgentRun {
  readonly #parts: LoopParts;
  readonly #attempt: Attempt;
  readonly #scope: AttemptScope;
  readonly #model: Model;
  /** When the time is up, what runs is ended: there are last words to be said. */
  readonly #until: AbortSignal;
  readonly #toolSet: ToolSet;
  readonly #tools: ReadonlyMap<string, Tool>;
  readonly #modelTools: readonly ModelTool[];
  readonly #exits: readonly Exit[];
  readonly #system: string;
  readonly #conversation: Conversation;
  readonly #background: Background;
  readonly #held: HeldBack;
  readonly #room: Room;

  private constructor(parts: LoopParts, attempt: Attempt, scope: AttemptScope, opened: Opened) {
    const { definition } = attempt.task.spec;
    this.#parts = parts;
    this.#attempt = attempt;
    this.#scope = scope;
    this.#model = opened.model;
    this.#until = opened.until;
    this.#toolSet = opened.toolSet;
    this.#conversation = opened.conversation;
    this.#background = new Background(scope, opened.conversation);
    this.#held = new HeldBack(scope, opened.model);
    this.#room = new Room(parts, attempt, scope, opened.model, opened.conversation);
    this.#exits = exitsOf(definition);
    const exits = exitTools(definition, this.#exits, { scope, problemsOf: parts.problemsOf });
    this.#tools = new Map([...opened.tools, ...exits].map((tool) => [tool.name, tool]));
    this.#modelTools = asShown([...this.#tools.values()]);
    this.#system = systemPrompt({
      spec: attempt.task.spec,
      agents: opened.agents,
      environment: {
        cwd: attempt.workspace.root,
        platform: parts.platform,
        date: new Date(parts.clock.now()).toISOString().slice(0, 10),
      },
      exits: this.#exits,
    });
  }

  /** Or its end, where what the agent cannot do without is not there. */
  static async open(parts: LoopParts, attempt: Attempt, scope: AttemptScope): Promise<AgentRun | BackendEnd> {
    const model = await parts.openModel(attempt.task.spec);
    const conversation = Conversation.fold(await scope.past());
    const signal = AbortSignal.any([scope.signal, scope.timeUp]);
    // Each call is a strand, which ends with its result.
    const outcomeOf: AttemptScope["outcomeOf"] = (child, waitMs) => scope.outcomeOf(child, waitMs, "result");
    const toolSet = await parts.toolbox(attempt, { ...scope, signal, outcomeOf });
    if (toolSet.missing !== undefined) {
      await toolSet[Symbol.asyncDispose]();
      return failed("backend_unavailable", toolSet.missing);
    }
    const tools = offeredTools(attempt.task, toolSet.tools);
    const agents = canDelegate(tools) ? await agentsToCall(parts.registry, toolSet, attempt.task) : [];
    return new AgentRun(parts, attempt, scope, { model, toolSet, tools, conversation, agents, until: signal });
  }

  /** To the end, which may not be the last: a gate may send the agent back. */
  async run(): Promise<BackendEnd> {
    try {
      await this.#begin();
      return await this.#offer(await this.#goOn());
    } catch (error) {
      await this.#close();
      throw error;
    }
  }

  async #offer(end: BackendEnd): Promise<BackendEnd> {
    if (end.kind !== "answered") {
      await this.#scope.append(); // to close may take a while
      await this.#close();
      return end;
    }
    const answered: Answered = {
      ...end,
      // Last words are the last.
      revise: this.#conversation.grace === null ? (feedback) => this.#revise(feedback) : undefined,
      close: async () => {
        await this.#close();
        return undefined;
      },
    };
    return answered;
  }

  async #revise(feedback: string): Promise<BackendEnd> {
    this.#tell("gate", feedback);
    try {
      return await this.#offer(await this.#goOn());
    } catch (error) {
      await this.#close();
      throw error;
    }
  }

  /** What is held back stays with the task until it ends: it may go on elsewhere, or be tried again. */
  async #close(): Promise<void> {
    await this.#toolSet[Symbol.asyncDispose]();
  }

  async #begin(): Promise<void> {
    if (this.#conversation.task === null) {
      const context = await this.#parts.contextFor(this.#attempt);
      const makeNonce = () => this.#parts.mint.token().slice(0, 16);
      this.#tell("task", firstMessage(this.#attempt, context, makeNonce));
    }
  }

  /** What it ended by, also before its worker died; not once it was told to go on. */
  async #finished(): Promise<Finished | null> {
    const last = this.#conversation.last;
    if (last === undefined || last.told.length > 0 || !hasResults(last)) return null;
    const isLast = this.#conversation.grace !== null;
    return endingOf(last, this.#attempt.task.spec.definition, this.#parts.problemsOf, isLast);
  }

  async #goOn(): Promise<BackendEnd> {
    for (;;) {
      this.#scope.signal.throwIfAborted();
      const { grace } = this.#conversation;
      if (grace !== null) return this.#lastWords(grace);
      const finished = await this.#finished();
      const end = finished === null ? await this.#step() : await this.#end(finished);
      if (end !== undefined) return end;
    }
  }

  /** One turn, or what was left of one when a worker died. */
  async #step(): Promise<BackendEnd | undefined> {
    const last = this.#conversation.last;
    if (last !== undefined && last.told.length === 0 && !hasResults(last)) return this.#finishTurn(last);
    await this.#hear();
    if (this.#scope.timeUp.aborted) return this.#grace("timeout");
    if (
      this.#conversation.taken >= this.#attempt.task.spec.limits.maxTurns &&
      this.#conversation.begins !== undefined
    ) {
      return this.#grace("max_turns");
    }
    const replied = await this.#ask();
    switch (replied.kind) {
      case "unaffordable":
        return this.#grace("budget");
      case "late":
        return this.#grace("timeout");
      case "failed":
        if (isTooLong(replied) && this.#conversation.turns.length > 0) return this.#grace("backend_error");
        return failedModel(replied);
      case "replied":
        return this.#finishTurn(this.#lastTurn());
    }
  }

  async #finishTurn(turn: Turn): Promise<BackendEnd | undefined> {
    if (turn.stop === "refused") return refusal(turn);
    if (turn.calls.length > 0) {
      await this.#runCalls(turn);
      this.#endTurn(turn);
      const finished = await this.#finished();
      return finished === null ? undefined : this.#end(finished);
    }
    this.#endTurn(turn);
    const endsByText = this.#exits.length === 0;
    if (turn.stop === "length") return this.#tell("limit", cutOff(endsByText && turn.text.trim() !== ""));
    const finished = endsByText ? endingByText(this.#conversation.turns) : null;
    if (finished !== null) return this.#end(finished);
    if (await this.#hearAll()) return undefined; // it may have waited for that
    if (this.#conversation.nudges < this.#nudges()) return this.#tell("nudge", nudgeMessage(this.#exits));
    return this.#grace("no_completion");
  }

  /** Exits are insisted on; an agent that just has to call `complete_task` gets its grace turn at once. */
  #nudges(): number {
    const { completion } = this.#attempt.task.spec.definition;
    return completion.exits !== undefined ? completion.nudges : this.#exits.length === 0 ? 1 : 0;
  }

  /** Not while something that it started still runs: those results would be lost. */
  async #end(finished: Finished): Promise<BackendEnd | undefined> {
    if (await this.#hearAll()) return undefined;
    // Where the time was up something may still run: then the answer is what there was by then.
    const isEarly = this.#scope.timeUp.aborted && (await this.#background.running()).length > 0;
    return { kind: "answered", ...finished, ...(isEarly ? { recovered: "timeout" } : {}) };
  }

  /** As `#hear`, once nothing that it started in the background goes on by itself any more. */
  async #hearAll(): Promise<boolean> {
    return this.#hear(await this.#background.settled());
  }

  #runCalls(turn: Turn, tools = this.#tools): Promise<void> {
    const { keepWhole } = this.#parts;
    return runCalls(
      {
        scope: this.#scope,
        tools,
        conversation: this.#conversation,
        shorten: (call, { text, leftOut }) =>
          shorten({ text: this.#scope.redact(text), leftOut }, call, (id, whole) =>
            keepWhole(this.#attempt, id, whole),
          ),
      },
      turn,
      turn.calls,
    );
  }

  /** What others have said meanwhile, between turns, and which children have ended. Whether there was anything. */
  async #hear(late: readonly TaskView[] = []): Promise<boolean> {
    const heard = await this.#scope.hear();
    for (const { text, by } of heard) this.#conversation.add({ type: "message.received", text, by, control: 1 });
    const news = await this.#background.news(late);
    if (news !== undefined) this.#tell("news", news);
    return heard.length > 0 || news !== undefined;
  }

  async #ask(): Promise<Replied> {
    this.#held.take();
    const until = this.#until;
    const wish = await this.#room.fit(() => this.#wish(), until);
    let replied = await this.#call(wish, until);
    // What is for the end must not be all that a budget is used for.
    const isFirst = this.#conversation.turns.length === 0;
    if (replied.kind === "unaffordable" && isFirst && (await this.#held.kept()) !== undefined) {
      replied = await this.#call(wish, until, this.#held);
    }
    while (isTooLong(replied) && (await this.#room.more(until))) replied = await this.#call(this.#wish(), until);
    return replied;
  }

  async #call(wish: ModelWish, until: AbortSignal, held?: HeldBack): Promise<Replied> {
    const of = { scope: this.#scope, model: this.#model, turns: this.#conversation };
    const replied = await callModel({ ...of, wish, until, held });
    if (replied.kind === "replied") this.#conversation.reply(wish.turn, replied);
    return replied;
  }

  /** One more reply when a limit is reached. What is saved by it never looks like a clean success. */
  async #grace(limit: Limit): Promise<undefined> {
    await this.#hearAll();
    const running = await this.#background.running(); // what it goes without
    return this.#tell("grace", graceMessage(limit, this.#attempt.task.spec.prompt, this.#exits, running));
  }

  async #lastWords(grace: NonNullable<Conversation["grace"]>): Promise<BackendEnd> {
    const { limit, after } = grace;
    const tooLate = failed(limit, limitMessage(limit, this.#attempt.task.spec.limits));
    if (this.#conversation.turns.length === after && !(await this.#askForLastWords()))
      return (await this.#saved(grace)) ?? tooLate;
    const last = this.#lastTurn();
    if (last.stop === "refused") return refusal(last);
    if (last.calls.length > 0) await this.#runCalls(last, this.#exitTools());
    this.#endTurn(last);
    const finished = await this.#finished();
    if (finished !== null) return { kind: "answered", ...finished, recovered: limit };
    const answer = last.text.trim();
    if (this.#exits.length > 0 || answer === "") return tooLate;
    return { kind: "answered", answer, recovered: limit, isCut: last.stop === "length" };
  }

  /** What it had ended with before it heard of something else. What a gate has sent back is no answer any more. */
  async #saved({ limit, after }: NonNullable<Conversation["grace"]>): Promise<BackendEnd | undefined> {
    const turn = this.#conversation.turns[after - 1];
    if (turn === undefined || this.#conversation.sentBack === after) return undefined;
    const { definition } = this.#attempt.task.spec;
    const finished =
      this.#exits.length === 0
        ? endingByText(this.#conversation.turns.slice(0, after))
        : hasResults(turn)
          ? await endingOf(turn, definition, this.#parts.problemsOf, false)
          : null;
    return finished === null ? undefined : { kind: "answered", ...finished, recovered: limit };
  }

  /** False: nothing came. */
  async #askForLastWords(): Promise<boolean> {
    const done = new AbortController();
    const late = new AbortController();
    const until = AbortSignal.any([this.#scope.signal, late.signal]);
    void this.#parts.clock.sleep(this.#parts.settings.graceMs, done.signal).then(() => late.abort());
    const tools = asShown([...this.#exitTools().values()]);
    const maxOutputTokens = Math.min(GRACE_TOKENS, this.#model.maxOutputTokens);
    const wishNow = (): ModelWish => ({ ...this.#wish(), tools, maxOutputTokens });
    const short = SHORT_GRACE.map((chars) => this.#conversation.shortMessages(this.#system, chars));
    try {
      this.#held.take(); // by an attempt before this one, it may be
      const wish = await this.#room.fit(wishNow, null);
      for (const messages of this.#conversation.grace?.limit === "backend_error" ? short : [wish.messages, ...short]) {
        const isHurried = messages !== short.at(-1);
        const replied = await this.#call({ ...wish, messages, isHurried }, until, this.#held);
        if (replied.kind !== "unaffordable" && !isTooLong(replied)) return replied.kind === "replied";
      }
      return false;
    } finally {
      done.abort();
    }
  }

  #exitTools(): ReadonlyMap<string, Tool> {
    return new Map([...this.#tools].filter(([name]) => this.#exits.some((exit) => exit === name)));
  }

  #wish(): ModelWish {
    const { temperature, top_p: topP, effort } = this.#attempt.task.spec.definition;
    return {
      turn: this.#conversation.turn,
      messages: this.#conversation.messages(this.#system),
      tools: this.#modelTools,
      maxOutputTokens: this.#model.maxOutputTokens,
      temperature,
      topP,
      effort,
      repliesBefore: this.#conversation.turns.length,
    };
  }

  #lastTurn(): Turn {
    const last = this.#conversation.last;
    if (last === undefined) throw new Error("a reply came, and there is no turn");
    return last;
  }

  #tell(because: Because, text: string): undefined {
    this.#say({ type: "instruction.added", because, text });
  }

  /** Unless it was written with the last result. */
  #endTurn({ turn }: Turn): void {
    if (this.#conversation.ended < turn) this.#say({ type: "turn.ended", turn });
  }

  #say(event: Extract<TaskEvent, { type: "instruction.added" | "turn.ended" }>): void {
    this.#scope.soon(event);
    this.#conversation.add(event);
  }
}

interface Opened {
  readonly model: Model;
  readonly toolSet: ToolSet;
  /** Those of the set that the agent is offered. */
  readonly tools: readonly Tool[];
  readonly conversation: Conversation;
  readonly agents: readonly Called[];
  readonly until: AbortSignal;
}

interface Called {
  readonly name: string;
  readonly description: string;
}

const asShown = (tools: readonly Tool[]): ModelTool[] =>
  tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
