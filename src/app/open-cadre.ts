// The composition root: options in, a wired Cadre out. The only place that knows every adapter.
import { homedir, userInfo } from "node:os";
import { join } from "node:path";
import type { z } from "zod";
import { tapeBackend } from "../backends/tape/tape-backend.ts";
import { noConfinement } from "../confinement/none/no-confinement.ts";
import { fileRegistry, joinRegistries, memoryRegistry, trustFile } from "../definitions/index.ts";
import { DEFAULT_SETTINGS, type Settings } from "../domain/limits.ts";
import { BASELINE } from "../domain/policy.ts";
import { openEngine } from "../engine/index.ts";
import { outputSchemaGate } from "../gates/output-schema/output-schema-gate.ts";
import { call, type MouthName } from "../operations/index.ts";
import type { Backend, LiveParts, Store, Trust } from "../ports/index.ts";
import { AgentDefinition, type Askable } from "../schema/index.ts";
import { sqliteStore } from "../stores/sqlite/sqlite-store.ts";
import { sharedWorkspaces } from "../workspaces/shared/shared-workspaces.ts";
import type { Cadre } from "./cadre.ts";
import { identifyCaller } from "./caller.ts";
import { findHome } from "./find-home.ts";
import { makeHome } from "./home-folder.ts";
import { clock, mint, ownLiveness } from "./system.ts";
import { tailTree } from "./tail-tree.ts";

export interface CadreOptions {
  /** Where Cadre keeps its state. Default: the nearest `.cadre` upwards, else the user's own. */
  readonly home?: string | undefined;
  readonly cwd?: string | undefined;
  /** Agents from code. They come before those from files. */
  readonly agents?: readonly z.input<typeof AgentDefinition>[] | undefined;
  readonly backends?: readonly Backend[] | undefined;
  /** Default: `cadre.db` in the home. */
  readonly store?: Store | undefined;
  readonly settings?: Partial<Settings> | undefined;
  readonly live?: LiveParts | undefined;
  /** Folders that this process trusts, beside those that the user has trusted for good. */
  readonly trusted?: readonly string[] | undefined;
  /** Who can be asked when an agent needs an answer. Default: whoever reads the inbox. */
  readonly askable?: Askable | undefined;
  /** For mouths: which one this is, and whether a person can be held to what it says. */
  readonly mouth?: MouthName | undefined;
  readonly isPerson?: boolean | undefined;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly userHome?: string | undefined;
}

export async function openCadre(options: CadreOptions = {}): Promise<Cadre> {
  const { env = process.env, cwd = process.cwd(), userHome = homedir(), mouth = "library" } = options;
  const { home, project } = findHome({ home: options.home, cwd, env, userHome });
  const lasting = trustFile(join(userHome, ".cadre", "trust.json"), clock.now);
  const isTrusted = async (folder: string) => options.trusted?.includes(folder) === true || lasting.isTrusted(folder);
  const trust: Trust = { ...lasting, isTrusted };
  const store = options.store ?? (await openStore(home));
  const backends = [tapeBackend(), ...(options.backends ?? [])];
  const engine = await openEngine({
    store,
    clock,
    mint,
    liveness: await ownLiveness(),
    registry: joinRegistries(
      memoryRegistry((options.agents ?? []).map((agent) => AgentDefinition.parse(agent))),
      fileRegistry({
        trust,
        layers: [
          { folder: join(home, "agents"), label: "project", trustRoot: project },
          { folder: join(userHome, ".cadre", "agents"), label: "user", trustRoot: null },
        ],
      }),
    ),
    backends: new Map(backends.map((backend) => [backend.name, backend])),
    workspaces: sharedWorkspaces(project),
    confinement: noConfinement,
    gates: [outputSchemaGate()],
    live: options.live ?? { write: () => undefined },
    settings: { ...DEFAULT_SETTINGS, ...options.settings },
    baseline: BASELINE,
  });
  const { isPerson = true, askable = "inbox" } = options;
  const caller = await identifyCaller(store, mint, { mouth, by: userInfo().username, isPerson, askable, env });
  const closing = new AbortController();

  const cadre: Cadre = {
    home,
    project,
    call: (name, input) => call(name, input, { engine, trust, caller, project, signal: closing.signal }),
    start: (request) => cadre.call("task.start", request),
    run: async (request, signal) => cadre.finish(await cadre.start(request), signal),
    async finish(task, signal) {
      const stop = () => void cadre.call("task.stop", { task: task.id }).catch(() => undefined); // it may have ended first
      if (signal?.aborted === true) stop();
      signal?.addEventListener("abort", stop, { once: true });
      try {
        await engine.work({ dispatch: ["auto", "manual"], root: task.id, until: "idle" });
      } finally {
        signal?.removeEventListener("abort", stop);
      }
      return cadre.call("task.get", { task: task.id });
    },
    work: (wish, signal) => engine.work({ dispatch: ["auto"], until: "idle", ...wish }, signal),
    tail: (root, signal = closing.signal) => tailTree(engine, root, signal),
    async close() {
      closing.abort();
      await engine.close();
      await store.close();
    },
    [Symbol.asyncDispose]: () => cadre.close(),
  };
  return cadre;
}

async function openStore(home: string): Promise<Store> {
  await makeHome(home);
  return sqliteStore(join(home, "cadre.db"), clock, mint);
}
