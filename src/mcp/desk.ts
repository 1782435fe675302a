// Behind every call: a Cadre that is opened when the first one needs it, and a worker that lives while there is work.
import { setImmediate as nextRound } from "node:timers/promises";
import type { Cadre } from "../app/index.ts";
import type { OperationOutput } from "../operations/index.ts";
import type { AgentDefinition } from "../schema/index.ts";
import { atMostEvery } from "./at-most-every.ts";

/** A worker that was just started has not moved in yet, and asking again would start another one in vain. */
const WORKER_EVERY_MS = 1_000;

export interface Desk {
  readonly cadre: () => Promise<Cadre>;
  /** Does what queues something, then makes sure of a worker that outlives this process. Closing waits for both. */
  readonly queue: <T>(work: () => Promise<T>) => Promise<T>;
  /** Makes sure of the worker again: it may have died meanwhile. */
  readonly ensureWorker: () => Promise<void>;
  /** Starts the worker where something waits for it, and it is gone. Nobody has to wait for that. */
  readonly wakeWorker: () => void;
  /** Done when the reply of this call is on its way. The next call finds it done, and closing waits for it. */
  readonly afterwards: (work: () => Promise<unknown>) => void;
  /** Where an earlier call has left something to be done. */
  readonly settled: () => Promise<unknown> | undefined;
  /** Those that a caller here can give a task. None where the home cannot be opened: then the first call says why. */
  readonly agents: () => Promise<readonly AgentDefinition[]>;
  readonly log: (line: string) => void;
  readonly close: () => Promise<void>;
}

export function openDesk(open: () => Promise<Cadre>, log: (line: string) => void): Desk {
  let opened: Promise<Cadre> | undefined;
  const cadre = () => {
    opened ??= open().catch((error: unknown) => {
      opened = undefined; // what was in the way may be gone by the next call
      throw error;
    });
    return opened;
  };
  const worker = atMostEvery(WORKER_EVERY_MS, async () => {
    await (await cadre()).ensureWorker().catch((error: unknown) => log(`no worker could be started: ${String(error)}`));
  });
  const waking = atMostEvery(WORKER_EVERY_MS, async () => {
    const one = await cadre().catch(() => undefined); // where nothing can be opened, the call has said why
    await one?.wakeWorker().catch((error: unknown) => log(`no worker could be started: ${String(error)}`));
  });
  const underWay = new Set<Promise<unknown>>();
  const leftOver = new Set<Promise<unknown>>();
  let problem = "";
  return {
    cadre,
    log,
    ensureWorker: worker.ask,
    wakeWorker: () => void within(underWay, nextRound().then(waking.ask)),
    afterwards(work) {
      const done = nextRound()
        .then(work)
        .catch((error: unknown) => log(`what was to be done after a reply: ${String(error)}`));
      void within(leftOver, done);
    },
    settled: () => (leftOver.size === 0 ? undefined : Promise.all(leftOver)),
    queue: (work) =>
      within(
        underWay,
        (async () => {
          const result = await work();
          await worker.ask();
          return result;
        })(),
      ),
    async agents() {
      try {
        const { agents } = await (await cadre()).call("agent.list", {});
        return agents.filter(isOffered).map(({ definition }) => definition);
      } catch (error) {
        // The agents are looked at again and again: what is wrong is said once.
        if (problem !== String(error)) log(`the agents cannot be listed: ${String(error)}`);
        problem = String(error);
        return [];
      }
    },
    async close() {
      await Promise.allSettled([...underWay, ...leftOver]);
      await worker.flush();
      await waking.flush();
      await (await opened?.catch(() => undefined))?.close();
    },
  };
}

/** One of them for as long as it goes on. */
function within<T>(those: Set<Promise<unknown>>, work: Promise<T>): Promise<T> {
  those.add(work);
  return work.finally(() => those.delete(work));
}

type Listed = OperationOutput<"agent.list">["agents"][number];

/** One that only watches, or that nobody has trusted, would be refused. */
const isOffered = ({ definition, trusted }: Listed): boolean =>
  trusted && definition.capabilities.some((capability) => capability !== "watcher");
