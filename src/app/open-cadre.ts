// The composition root: options in, a wired Cadre out. The only place that knows every adapter.
import { homedir, userInfo } from "node:os";
import { join } from "node:path";
import type * as z from "zod";
import { configuration, loadConfig } from "../config/index.ts";
import type { Settings } from "../domain/limits.ts";
import { openEngine } from "../engine/index.ts";
import { completionGates } from "../gates/completion/completion-gates.ts";
import { outputSchemaGates } from "../gates/output-schema/output-schema-gate.ts";
import { call, type MouthName } from "../operations/index.ts";
import type { Backend, LiveParts, Store, Toolbox } from "../ports/index.ts";
import type { AgentDefinition, Askable } from "../schema/index.ts";
import { findProgram } from "../platform/find-program.ts";
import { sqliteStore } from "../stores/sqlite/sqlite-store.ts";
import {
  liveLogs,
  makeLayout,
  ownFilesIn,
  scopeIn,
  type StateFileOptions,
  withStateFiles,
} from "../stores/state-files/index.ts";
import { workspaceDiff } from "../tools/delegation/workspace-diff.ts";
import { openWorkspaces } from "../workspaces/open-workspaces.ts";
import type { Cadre } from "./cadre.ts";
import { identifyCaller } from "./caller.ts";
import { confinementFor } from "./confinement.ts";
import { faceOf, type FilesOfHome } from "./face.ts";
import { findHome } from "./find-home.ts";
import { openHatches } from "./hatch.ts";
import { hatchFace } from "./hatch-face.ts";
import { hatchOf } from "./hatch-folder.ts";
import { isHomeIn, makeHome } from "./home-folder.ts";
import { oncePerMessage, onlyOnce } from "./once.ts";
import { openBackends } from "./open-backends.ts";
import { memoryPlaces, type Place, toolLayers } from "./place.ts";
import { registryFor, trustFor } from "./registry.ts";
import { syncStateFiles } from "./sync-state-files.ts";
import { clock, mint, ownLiveness } from "./system.ts";
import { declaredKeys, type Env, environmentSecrets, modelByKey } from "./user-keys.ts";

export interface CadreOptions {
  /** Where Cadre keeps its state. Default: the nearest `.cadre` upwards, else the user's own. */
  readonly home?: string | undefined;
  readonly cwd?: string | undefined;
  /** Agents from code. They come before those from files. */
  readonly agents?: readonly z.input<typeof AgentDefinition>[] | undefined;
  readonly backends?: readonly Backend[] | undefined;
  /** Tools from code, for agents on our own loop. They come after the built-in ones. */
  readonly toolboxes?: readonly Toolbox[] | undefined;
  /** Default: `cadre.db` in the home. */
  readonly store?: Store | undefined;
  readonly settings?: Partial<Settings> | undefined;
  readonly live?: LiveParts | undefined;
  /** Told, in words, of what is wrong beside the work: a state file that cannot be written, or that somebody edited. */
  readonly onProblem?: ((message: string) => void) | undefined;
  /** Folders that this process trusts, beside those that the user has trusted for good. */
  readonly trusted?: readonly string[] | undefined;
  /** Who can be asked when an agent needs an answer. Default: whoever reads the inbox. */
  readonly askable?: Askable | undefined;
  /** For mouths: which one this is, and whether a person can be held to what it says. */
  readonly mouth?: MouthName | undefined;
  readonly isPerson?: boolean | undefined;
  readonly env?: Env | undefined;
  readonly userHome?: string | undefined;
}

export async function openCadre(options: CadreOptions = {}): Promise<Cadre> {
  const { env = process.env, cwd = process.cwd(), userHome = homedir() } = options;
  const place: Place = { ...findHome({ home: options.home, cwd, env, userHome }), userHome };
  const hatch = options.store === undefined ? hatchOf(place.home, env) : undefined;
  if (hatch !== undefined) return hatchFace(hatch, place, env);
  const files: StateFileOptions = {
    layout: makeLayout(place.home, place.project),
    clock,
    onProblem: oncePerMessage(options.onProblem ?? (() => undefined)),
  };
  const kept = options.store === undefined ? await openStore(files) : { store: options.store };
  try {
    return await wire(options, place, files, kept, env);
  } catch (error) {
    // Why it cannot be opened is what matters, whatever closing it brings.
    await kept.store.close().catch((second: unknown) => {
      files.onProblem(`The store could not be closed: ${second instanceof Error ? second.message : String(second)}`);
    });
    throw error;
  }
}

/** Shorter than anybody minds, and longer than a program takes that does next to nothing, also where ten run at once. */
const SHOW_AFTER_MS = 250;

interface Kept {
  readonly store: Store;
  /** When its files show what has ended. A store of the caller's own has none. */
  readonly shown?: () => Promise<void>;
}

async function openStore(files: StateFileOptions): Promise<Kept> {
  const { home } = files.layout;
  await makeHome(home);
  const bare = await sqliteStore(join(home, "cadre.db"), clock, mint);
  const store = withStateFiles(bare, { ...files, showAfterMs: SHOW_AFTER_MS });
  return { store, shown: () => store.shown() };
}

async function wire(
  options: CadreOptions,
  place: Place,
  files: StateFileOptions,
  { store, shown }: Kept,
  env: Env,
): Promise<Cadre> {
  const { mouth = "library", askable = "inbox" } = options;
  const where = { userHome: place.userHome, home: place.home, env };
  const {
    settings,
    baseline,
    personWithoutTerminal,
    models,
    privateHosts,
    workspaceRoots,
    mcpServers,
    overrides,
    warnings,
    confinement: strictness,
    keyGateway,
  } = await loadConfig(where);
  for (const warning of warnings) files.onProblem(warning);
  // Only where a person types: through a protocol, a model may speak.
  const isPerson = options.isPerson ?? true;
  const caller = await identifyCaller(store, mint, {
    mouth,
    by: userInfo().username,
    isPerson: isPerson || (mouth === "cli" && personWithoutTerminal),
    askable,
    env,
  });
  const trust = trustFor(place, options.trusted ?? []);
  // A store of the caller's own has no files beside it.
  const logs = options.store === undefined ? liveLogs(files) : undefined;
  const registry = registryFor({ place, trust, agents: options.agents ?? [], overrides });
  const allSettings = { ...settings, defaultModel: settings.defaultModel ?? modelByKey(env), ...options.settings };
  const secrets = environmentSecrets(env, declaredKeys(models.providers));
  const memory = onlyOnce(async () => {
    const { fileMemory, redactedMemory } = await import("../memory/index.ts");
    return redactedMemory(fileMemory(memoryPlaces(place), clock), secrets);
  });
  const tools = onlyOnce(async () => {
    const { toolShelf } = await import("../tools/manifest/tool-shelf.ts");
    return toolShelf({ ...toolLayers(place), trust, clock, cwd: place.project });
  });
  const loop = onlyOnce(async () => {
    const { openLoopParts } = await import("./native.ts");
    const toolboxes = options.toolboxes ?? [];
    const layers = Object.values(toolLayers(place)).filter((layer) => layer !== null);
    const wired = {
      env,
      registry,
      trust,
      models,
      privateHosts,
      mcpServers,
      settings: allSettings,
      toolboxes,
      tools,
      conversion,
    };
    return openLoopParts({ ...place, ...wired, memory: await memory(), toolLayers: layers });
  });
  const trees = onlyOnce(async () => new (await import("../workspaces/trees/own-trees.ts")).OwnTrees(place));
  const work = onlyOnce(async () => {
    const { workShelf } = await import("../workspaces/merge/work-shelf.ts");
    const homes = [scopeIn(files.layout, place.home)];
    return workShelf({ trees: await trees(), homes, userHome: place.userHome });
  });
  const secretNames = onlyOnce(async () => {
    const { modelVariables, readModelSettings } = await import("../models/index.ts");
    return modelVariables(readModelSettings(models));
  });
  const isConfined = strictness !== "off" && findProgram("bwrap", { cwd: "/", path: env["PATH"] }).ok;
  const backends = [
    ...openBackends({ ...place, env, keyGateway, isConfined, secretNames, registry, loop }),
    ...(options.backends ?? []),
  ];
  const confinement = confinementFor(strictness, place, privateHosts);
  const engine = await openEngine({
    store,
    clock,
    mint,
    liveness: await ownLiveness(),
    registry,
    backends: new Map(backends.map((backend) => [backend.name, backend])),
    workspaces: openWorkspaces({ ...place, roots: workspaceRoots, trees }),
    confinement,
    custody: onlyOnce(async () => (await import("../custody/index.ts")).openCustody()),
    credentials: secrets,
    gates: (task, claim) => [
      ...outputSchemaGates(task),
      ...completionGates(env["PATH"] ?? "", workspaceDiff)(task, claim),
    ],
    ownFiles: ownFilesIn(files.layout),
    scopeOf: (path) => scopeIn(files.layout, path),
    homes: [scopeIn(files.layout, place.home)],
    isHome: isHomeIn(place),
    hatch: openHatches(place.home, mint, (operation, input, by, signal) =>
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- held to that operation's input by the call itself
      call(operation, input as never, { engine, project: place.project, ...asked, caller: by, signal }),
    ),
    live: {
      write(task, part) {
        logs?.write(task, part);
        options.live?.write(task, part);
      },
      over(task) {
        logs?.over(task);
        options.live?.over?.(task);
      },
    },
    settings: allSettings,
    baseline,
  });
  const filesOf: FilesOfHome = {
    sync: async () => void (logs !== undefined && (await syncStateFiles(engine, trust, files))),
    shown: async () => shown?.(),
    close: async () => logs?.[Symbol.asyncDispose](),
  };
  const modelsHere = async () => (await import("./native.ts")).modelsFound(models, env, allSettings.defaultModel);
  const conversion = onlyOnce(async () =>
    (await import("./conversion.ts")).conversionFor({ place, registry, env, models, tools }),
  );
  const hosts = onlyOnce(async () => (await import("./hosts.ts")).hostConfigFor(place, env));
  const logins = onlyOnce(async () =>
    (await import("./logins.ts")).loginsFor({ place, env, registry, mcpServers, privateHosts }),
  );
  const asked = { trust, caller, config: configuration(where), conversion, memory, tools, logins, hosts, work };
  return faceOf(engine, place, asked, { files: filesOf, models: modelsHere, confinement });
}
