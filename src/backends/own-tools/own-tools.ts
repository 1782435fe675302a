// Our own tools for an agent of another program, for one attempt: the server, what an exit has said, and what the agent
// still has to be told before its part is over.
import { newsOf, nudgeMessage } from "../../domain/reminders.ts";
import { hasEnded } from "../../domain/transitions.ts";
import type { Attempt, AttemptScope, Failed } from "../../ports/index.ts";
import type { CallId, Exit, TaskId, TaskView } from "../../schema/index.ts";
import type { Finished, OwnToolsFor, ToolsOfCadre } from "./own-tools-for.ts";
import type { ServedTools } from "./serve-tools.ts";
import { ToolDesk } from "./tool-desk.ts";

/** `tell`: it has to go on with this. `stuck`: it was told often enough. */
export type Left =
  | { readonly kind: "nothing" }
  | { readonly kind: "tell"; readonly text: string }
  | { readonly kind: "stuck"; readonly end: Failed };

const WITHOUT_EXIT: Failed = {
  kind: "failed",
  reason: "no_completion",
  message: "the agent stopped without ending its task by an exit",
};

export class OwnTools implements AsyncDisposable {
  readonly agents: ToolsOfCadre["agents"];
  readonly #scope: AttemptScope;
  readonly exits: readonly Exit[];
  readonly #maxNudges: number;
  readonly #desk: ToolDesk;
  readonly #set: ToolsOfCadre;
  readonly #served: ServedTools;
  /** By exits, each by its call. */
  readonly #said: Map<CallId, Finished>;
  /** Children of which the agent was told that they wait for a person. */
  readonly #interrupted = new Set<TaskId>();
  #nudges = 0;

  private constructor(
    { task }: Attempt,
    scope: AttemptScope,
    set: ToolsOfCadre,
    desk: ToolDesk,
    served: ServedTools,
    said: Map<CallId, Finished>,
  ) {
    const { completion } = task.spec.definition;
    this.agents = set.agents;
    this.#scope = scope;
    this.exits = completion.exits ?? [];
    this.#maxNudges = completion.nudges;
    this.#set = set;
    this.#desk = desk;
    this.#served = served;
    this.#said = said;
  }

  /**
   * Undefined: the agent has none. A failure: one that it cannot do without is not there. Where they are served, the
   * programs of the attempt may reach them from then on.
   */
  static async open(
    wanted: OwnToolsFor | undefined,
    attempt: Attempt,
    scope: AttemptScope,
  ): Promise<OwnTools | Failed | undefined> {
    const said = new Map<CallId, Finished>();
    const set = await wanted?.(attempt, scope, (finished, call) => void said.set(call, finished));
    if (set === undefined) return undefined;
    if (set.missing !== undefined) {
      await set[Symbol.asyncDispose]();
      return { kind: "failed", reason: "backend_unavailable", message: set.missing };
    }
    const { maxOutputKb } = attempt.task.spec.limits;
    const desk = new ToolDesk({ tools: set.tools, scope, maxOutputKb, isOver: () => said.size > 0 });
    const { serveTools } = await import("./serve-tools.ts");
    const served = await serveTools(desk, attempt.token);
    const opened = new OwnTools(attempt, scope, set, desk, served, said);
    try {
      await attempt.confinement.letReach([{ host: served.host, port: served.port }]);
      return opened;
    } catch (error) {
      await opened[Symbol.asyncDispose]();
      throw error;
    }
  }

  get url(): string {
    return this.#served.url;
  }

  /** Once the program has asked which tools there are. */
  get listed(): Promise<void> {
    return this.#served.listed;
  }

  get names(): readonly string[] {
    return this.#set.tools.map(({ name }) => name);
  }

  /**
   * What an exit has said. Of several the one that came first counts, whichever was done first: mostly that is the order of
   * the reply, and nobody tells us of another. It may still change while a call is under way.
   */
  get finished(): Finished | undefined {
    const first = this.#desk.firstOf([...this.#said.keys()]);
    return first === undefined ? undefined : this.#said.get(first);
  }

  /** A gate was not content: it has to end once more. */
  reopen(): void {
    this.#said.clear();
  }

  /** Until no call is under way. */
  idle(): Promise<void> {
    return this.#desk.idle();
  }

  /** Asked whenever the agent has stopped. Waits for what it has started. */
  async left(): Promise<Left> {
    const late: TaskView[] = [];
    const started = (await this.#scope.unfinishedChildren()).filter(({ spec }) => spec.background);
    for (const { id } of started) {
      const child = await this.#scope.atRest(id);
      if (hasEnded(child.status) || !this.#interrupted.has(id)) late.push(child);
      this.#interrupted.add(id);
    }
    const news = [...late, ...(await this.#scope.endedChildren()).filter(({ spec }) => spec.background)];
    if (news.length > 0) {
      this.reopen();
      return this.#tell("news", newsOf(news));
    }
    if (this.exits.length === 0 || this.finished !== undefined) return { kind: "nothing" };
    if (this.#nudges >= this.#maxNudges) return { kind: "stuck", end: WITHOUT_EXIT };
    this.#nudges++;
    return this.#tell("nudge", nudgeMessage(this.exits));
  }

  async #tell(because: "news" | "nudge", text: string): Promise<Left> {
    await this.#scope.append({ type: "instruction.added", because, text });
    return { kind: "tell", text };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#served[Symbol.asyncDispose]();
    await this.#set[Symbol.asyncDispose]();
  }
}
