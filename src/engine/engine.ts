// The engine: the only code that does things in order. Mouths reach it through operations.
import type { CommandAnswer } from "../ports/index.ts";
import type { Envelope, StreamName, TaskCommand, TaskId, TaskView } from "../schema/index.ts";
import { admit, type TaskRequest } from "./admit.ts";
import { follow } from "./follow.ts";
import type { EngineParts } from "./parts.ts";
import { Pulse } from "./pulse.ts";
import { recover } from "./recover.ts";
import { stop } from "./stop.ts";
import { work, type WorkOptions } from "./work.ts";

export interface Engine {
  readonly parts: EngineParts;
  admit(requests: readonly TaskRequest[], parent: TaskView | null): Promise<readonly TaskView[]>;
  /** Runs tasks in this process. Several calls share the limits, which are the store's. */
  work(options: WorkOptions, signal?: AbortSignal): Promise<void>;
  stop(task: TaskId, by: string): Promise<CommandAnswer>;
  command(task: TaskId, command: Exclude<TaskCommand, { type: "stop" }>): Promise<CommandAnswer>;
  follow(query: { stream?: StreamName; after: number }, signal: AbortSignal): AsyncIterable<Envelope>;
  /** Resolves when `found` has something to say of the task as it is, or as it becomes. `end`: only its end is looked at. */
  until<T>(
    task: TaskId,
    signal: AbortSignal,
    found: (task: TaskView) => T | undefined,
    at?: "task" | "end",
  ): Promise<T>;
  /** What runs here is interrupted, and can be run again. */
  close(): Promise<void>;
}

export async function openEngine(parts: EngineParts): Promise<Engine> {
  await recover(parts); // what nobody holds any more is not shown, or waited for, as if somebody did
  const closing = new AbortController();
  const pulse = new Pulse();
  const listening = pulse.run(parts.store, await parts.store.head(), closing.signal);
  const running = { ...parts, pulse, lastRound: { at: undefined } };
  const working = new Set<Promise<void>>();

  return {
    parts,
    admit: (requests, parent) => admit(parts, requests, parent),
    work: async (options, signal) => {
      const until = signal === undefined ? closing.signal : AbortSignal.any([signal, closing.signal]);
      const worker = work(running, options, until);
      working.add(worker);
      await worker.finally(() => working.delete(worker));
    },
    stop: (task, by) => stop(parts, task, by),
    command: (task, command) => parts.store.command(task, command),
    follow: (query, signal) => follow(parts.store, query, AbortSignal.any([signal, closing.signal])),
    until: (task, signal, found, at = "task") =>
      pulse.until(`${at}:${task}`, AbortSignal.any([signal, closing.signal]), async () => {
        const view = await parts.store.task(task);
        return view === undefined ? undefined : found(view);
      }),
    close: async () => {
      closing.abort();
      await Promise.allSettled([listening, ...working]);
    },
  };
}
