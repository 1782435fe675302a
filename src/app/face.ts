import { existsSync, realpathSync } from "node:fs";
import { join, relative } from "node:path";
import type { Tier } from "../confinement/tier.ts";
import type { Engine } from "../engine/index.ts";
import { ownState } from "../domain/own-state.ts";
import { rawLogName } from "../domain/raw-log-name.ts";
import { isWithin } from "../domain/scopes.ts";
import { statusWord } from "../domain/status-words.ts";
import { goesOn } from "../domain/transitions.ts";
import { call, type OperationContext } from "../operations/index.ts";
import { gitDiff } from "../platform/git-diff.ts";
import { makeLayout } from "../stores/state-files/index.ts";
import type { Cadre, ModelsFound } from "./cadre.ts";
import { lookAtConfinement } from "./confinement.ts";
import type { Home } from "./find-home.ts";
import { lookAtBackends } from "./look-at-backends.ts";
import { ensureResident, reside, wakeResident } from "./resident.ts";
import { stopOnAbort } from "./stop-on-abort.ts";
import { tailTree } from "./tail-tree.ts";

/** The files that stand beside a store and show what it holds. */
export interface FilesOfHome {
  sync(): Promise<void>;
  /** The ends of roots are shown. */
  shown(): Promise<void>;
  /** Writes what is still to be written. */
  close(): Promise<void>;
}

/** A worker elsewhere that dies is noticed by those who work: so often, somebody who waits for it does. */
const LOOK_AGAIN_MS = 5_000;

/** An engine, as its users see it. */
export function faceOf(
  engine: Engine,
  { home, project }: Home,
  asked: Pick<
    OperationContext,
    "trust" | "caller" | "config" | "conversion" | "memory" | "tools" | "logins" | "hosts" | "work"
  >,
  parts: {
    readonly files: FilesOfHome;
    readonly models: () => Promise<ModelsFound>;
    readonly confinement: Tier;
  },
): Cadre {
  const { files } = parts;
  const closing = new AbortController();
  const context = { engine, project, signal: closing.signal, ...asked };
  /** Whoever has worked looks at the files next. */
  const untilShown = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } finally {
      await files.shown();
    }
  };
  const cadre: Cadre = {
    home,
    project,
    statusWord: (status) => statusWord(status, makeLayout(home, project).dialect),
    diff: (against) => {
      // A home may be older than the list of what git ignores there.
      const { homes, isHome } = engine.parts;
      const state = ownState([], [home, ...homes], isHome);
      const root = existsSync(project) ? realpathSync(project) : project; // git says what is wrong with it
      const isState = (path: string): boolean => {
        const name = relative(root, path);
        return state.at(isWithin(name, ".") ? name : path) !== undefined;
      };
      return gitDiff(project, {
        against,
        of: "repository",
        without: [makeLayout(home, project).folders.workspace],
        isState,
      });
    },
    rawLog(task) {
      const { folders, shown } = makeLayout(home, project);
      const file = join(folders.logs, rawLogName(task));
      return existsSync(file) ? shown(file) : null;
    },
    watchAgents: async (onChange, signal) =>
      engine.parts.registry.watch?.(onChange, AbortSignal.any([signal, closing.signal])),
    backends: async () => lookAtBackends(engine.parts.backends.values(), await engine.parts.store.coolDowns()),
    models: parts.models,
    custodyTier: async () => (await engine.parts.custody()).tier,
    confinement: () => lookAtConfinement(engine.parts, parts.confinement),
    call: (name, input) => call(name, input, context),
    start: (request) => cadre.call("task.start", request),
    run: async (request, signal) =>
      cadre.finish(await call("task.start", request, { ...context, isAwaited: true }), signal),
    async finish(task, signal) {
      using _stop = stopOnAbort(cadre, task.id, signal);
      let ended = task;
      // Another worker may have taken it, or something below it: then nothing is left to do here, and it goes on.
      while (goesOn(ended) && !closing.signal.aborted) {
        await engine.work({ dispatch: ["auto", "manual"], root: task.spec.root, until: "idle" });
        ended = await cadre.call("task.wait", { task: task.id, waitMs: LOOK_AGAIN_MS });
      }
      // Whoever waited for it has it now: it is no news to them.
      if (ended.outcome !== null && ended.spec.parent === null)
        await cadre.call("inbox.acknowledge", { root: ended.id });
      await files.shown(); // last: they were being written meanwhile
      return ended;
    },
    async ensureWorker() {
      // Inside an attempt there is a worker: that attempt's. One that was started here would die with it.
      if (asked.caller.inside === null) await ensureResident(engine, { home, project });
    },
    async wakeWorker() {
      if (asked.caller.inside === null) await wakeResident(engine, { home, project });
    },
    async reside(signal = closing.signal) {
      await files.sync();
      return untilShown(reside(engine, signal));
    },
    syncFiles: () => files.sync(),
    work: (wish, signal) => untilShown(engine.work({ dispatch: ["auto"], until: "idle", ...wish }, signal)),
    tail: (root, { after = root.firstPosition - 1, signal = closing.signal } = {}) =>
      tailTree(engine, root, after, signal),
    async close() {
      closing.abort();
      await engine.close();
      await files.close();
      await engine.parts.store.close();
    },
    [Symbol.asyncDispose]: () => cadre.close(),
  };
  return cadre;
}
