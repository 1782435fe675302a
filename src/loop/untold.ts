import type { CallId, Json, TaskEvent, TaskId } from "../schema/index.ts";

/**
 * Which results of background children the log has, and the agent has not: a worker may die between the two. Those that
 * the agent looks at itself come back with that call.
 */
export class Untold {
  readonly #background = new Set<string>();
  readonly #looking = new Map<CallId, string>();
  readonly #untold = new Set<TaskId>();
  #news = "";

  /** Whether there were news of this child, be it only that it was interrupted. */
  isTold(child: TaskId): boolean {
    return this.#news.includes(child);
  }

  get children(): readonly TaskId[] {
    return [...this.#untold];
  }

  add(event: TaskEvent): void {
    if (event.type === "child.started" && event.background) this.#background.add(event.child);
    if (event.type === "child.ended" && this.#background.has(event.child) && !this.#isLookedAt(event.child))
      this.#untold.add(event.child);
    if (event.type === "tool.called" && (event.tool === "TaskOutput" || event.tool === "TaskStop"))
      this.#look(event.call, event.input);
    if (event.type === "tool.returned") this.#looking.delete(event.call);
    if (event.type === "instruction.added" && event.because === "news") {
      this.#news += event.text;
      for (const child of this.#untold) if (event.text.includes(child)) this.#untold.delete(child);
    }
  }

  #isLookedAt(child: TaskId): boolean {
    return [...this.#looking.values()].includes(child);
  }

  #look(call: CallId, input: Json): void {
    if (typeof input !== "object" || input === null || Array.isArray(input)) return;
    const { task_id: child } = input;
    if (typeof child !== "string") return;
    this.#looking.set(call, child);
    for (const one of this.#untold) if (one === child) this.#untold.delete(one);
  }
}
