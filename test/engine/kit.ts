// What the scenarios share: an engine with one agent, and ways to read what happened.
import type { Capabilities, HeldEntry, Store } from "../../src/ports/index.ts";
import type * as z from "zod";
import type {
  AgentDefinition,
  Answer,
  ApprovalView,
  Envelope,
  LogEvent,
  TaskId,
  TaskStatus,
  TaskView,
} from "../../src/schema/index.ts";
import {
  registryOf,
  type Script,
  scriptedBackend,
  startEngine,
  type TestEngine,
  type TestEngineOptions,
  type TestWorld,
} from "../../src/testing/index.ts";

export type Definition = z.input<typeof AgentDefinition>;

export interface WorkerOptions extends Partial<TestEngineOptions> {
  readonly agent?: Partial<Definition>;
  readonly capabilities?: Partial<Capabilities>;
}

/** An engine whose one agent, `worker`, does what the scripts say, one per attempt. */
export function withWorker(scripts: readonly Script[], options: WorkerOptions = {}): Promise<TestEngine> {
  const { agent = {}, capabilities = {}, ...rest } = options;
  return startEngine({
    registry: registryOf({ name: "worker", description: "Works.", backend: "scripted", ...agent }),
    backends: [scriptedBackend(scripts, { capabilities })],
    ...rest,
  });
}

/** As many attempts as are needed, each doing what its agent's script says. */
export function byAgent(scripts: Readonly<Record<string, Script>>, attempts = 100): Script[] {
  const script: Script = (attempt, scope) => {
    const { name } = attempt.task.spec.definition;
    const own = scripts[name];
    if (own === undefined) throw new Error(`there is no script for "${name}"`);
    return own(attempt, scope);
  };
  return Array.from({ length: attempts }, () => script);
}

/** Runs until the test lets it go on. */
export function door(): { readonly script: Script; readonly open: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return {
    open: resolve,
    script: async () => {
      await promise;
      return { kind: "answered", answer: "done" };
    },
  };
}

/** Runs until it is asked to end, also where that was before it began. */
export const obeys: Script = (_attempt, { signal }) =>
  new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });

export const typesOf = (log: readonly Envelope[]): string[] => log.map(({ event }) => event.type);

export const factsOf = <Type extends LogEvent["type"]>(
  log: readonly Envelope[],
  type: Type,
): Extract<LogEvent, { type: Type }>[] =>
  log.flatMap(({ event }) => (event.type === type ? [event as Extract<LogEvent, { type: Type }>] : []));

export const wholeLog = ({ store }: TestWorld): Promise<readonly Envelope[]> =>
  store.read({ after: 0, limit: 1_000_000 });

export const allTasks = ({ store }: TestWorld): Promise<readonly TaskView[]> => store.tasks({ limit: 1_000_000 });

/** A world in which something happens before or after what an attempt writes. */
export function around(
  world: TestWorld,
  { before, after }: Partial<Record<"before" | "after", (entries: readonly HeldEntry[]) => Promise<void> | void>>,
): TestWorld {
  const store = new Proxy(world.store, {
    get(target, key) {
      const member: unknown = Reflect.get(target, key, target);
      if (typeof member !== "function") return member;
      if (key !== "append") return member.bind(target);
      return async (...args: Parameters<Store["append"]>) => {
        await before?.(args[1]);
        const done = await target.append(...args);
        await after?.(args[1]);
        return done;
      };
    },
  });
  return { ...world, store };
}

/** How many attempts computed at the same time, at the most, as the log tells it. */
export function mostComputing(log: readonly Envelope[]): number {
  const computing = new Set<string>();
  let most = 0;
  for (const { stream, event } of log) {
    if (event.type === "attempt.started" || event.type === "attempt.resumed") computing.add(stream);
    const isOut = ["attempt.suspended", "task.ended", "task.requeued", "task.interrupted"].includes(event.type);
    if (isOut) computing.delete(stream);
    most = Math.max(most, computing.size);
  }
  return most;
}

/** Lets everything happen that needs no time, then expects the status. */
export const expectStatus = (engine: TestEngine, task: TaskId, status: TaskStatus): Promise<TaskView> =>
  engine.until(task, status);

export async function openQuestions(engine: TestEngine, task: TaskId): Promise<readonly ApprovalView[]> {
  await engine.world.clock.settle();
  return (await engine.show(task)).approvals.filter(({ state }) => state === "open");
}

/** Answers the oldest open question of the task, and lets what follows from it happen. */
export async function answerNext(engine: TestEngine, task: TaskId, answer: Answer): Promise<void> {
  const [question] = await openQuestions(engine, task);
  if (question === undefined) throw new Error(`${task} asks nothing`);
  await engine.engine.command(task, { type: "answer", approval: question.id, answer, by: "ada" });
  await engine.world.clock.settle();
}

/** Closes the engine while time goes on, for backends that do not end when they are asked to. */
export async function closeInTime(engine: TestEngine): Promise<void> {
  const closed = engine.engine.close();
  await engine.world.clock.advance(engine.engine.parts.settings.stopGraceMs);
  await closed;
}
