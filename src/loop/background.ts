// What an agent has in the background, as it has to know of it before it ends.
import { newsOf } from "../domain/reminders.ts";
import { goesOn, hasEnded } from "../domain/transitions.ts";
import type { AttemptScope } from "../ports/index.ts";
import type { TaskView } from "../schema/index.ts";
import type { Conversation } from "./conversation.ts";

export class Background {
  readonly #scope: AttemptScope;
  readonly #conversation: Conversation;

  constructor(scope: AttemptScope, conversation: Conversation) {
    this.#scope = scope;
    this.#conversation = conversation;
  }

  /** Those that still run, or will. */
  async running(): Promise<readonly TaskView[]> {
    return (await this.#unfinished()).filter(goesOn);
  }

  /**
   * Once none goes on by itself any more, what the agent was not told: how they ended, or that they wait for a person. Time
   * that is up does not stand still for that.
   */
  async settled(): Promise<readonly TaskView[]> {
    const late: TaskView[] = [];
    for (const { id } of await this.#unfinished()) {
      if (this.#scope.timeUp.aborted) break;
      const child = await this.#scope.atRest(id);
      if (hasEnded(child.status) || !this.#conversation.isTold(id)) late.push(child);
    }
    return late;
  }

  /** Of these, and of those that have ended since anybody looked. Undefined: there is nothing to be told. */
  async news(late: readonly TaskView[]): Promise<string | undefined> {
    const untold = await Promise.all(this.#conversation.untold.map((id) => this.#scope.child(id)));
    const news = [
      ...untold.filter((child) => child !== undefined),
      ...late,
      ...(await this.#scope.endedChildren()).filter(({ spec }) => spec.background),
    ];
    return news.length === 0 ? undefined : newsOf(news);
  }

  /** What it waits for itself it has: any other in the foreground is a gate's. */
  async #unfinished(): Promise<readonly TaskView[]> {
    return (await this.#scope.unfinishedChildren()).filter(({ spec }) => spec.background);
  }
}
