// The ACP backend under the real engine, with the stub as a real process in real custody.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type AcpOptions, acpBackend } from "../../../src/backends/acp/acp-backend.ts";
import { ownToolsFor } from "../../../src/app/own-tools.ts";
import { openCustody } from "../../../src/custody/index.ts";
import { outputSchemaGates } from "../../../src/gates/output-schema/output-schema-gate.ts";
import { systemClock } from "../../../src/platform/system-clock.ts";
import type { LivePart, Outcome, TaskId, TaskView } from "../../../src/schema/index.ts";
import {
  fakeMint,
  registryOf,
  startEngine,
  type TestEngine,
  type TestEngineOptions,
  testWorld,
} from "../../../src/testing/index.ts";
import { understand } from "../../../src/tools/bash/shell-grammar.ts";
import { sharedWorkspaces } from "../../../src/workspaces/shared/shared-workspaces.ts";
import { eventually, temporaryFolder } from "../../custody/kit.ts";
import type { Definition } from "../../engine/kit.ts";
import type { Script, Step } from "./stub-agent.ts";

const STUB = fileURLToPath(new URL("stub-agent.ts", import.meta.url));
export const custody = await openCustody();

export interface AcpWorld extends AsyncDisposable {
  readonly engine: TestEngine;
  readonly project: string;
  readonly home: string;
  readonly parts: LivePart[];
}

export interface AcpSetup {
  readonly agent?: Partial<Definition>;
  readonly options?: Partial<AcpOptions>;
  readonly engine?: Partial<TestEngineOptions>;
  readonly project?: string;
  /** Nothing is found out at admission. */
  readonly isUnseen?: boolean;
}

const stubCommand = (script: Script): string[] => [process.execPath, STUB, JSON.stringify(script)];

export async function withPeer(
  script: Script,
  { agent, options, engine, project = temporaryFolder(), isUnseen = false }: AcpSetup = {},
): Promise<AcpWorld> {
  const home = join(project, ".cadre");
  const parts: LivePart[] = [];
  const definition = { name: "peer", description: "A peer.", backend: "acp", command: stubCommand(script), ...agent };
  const helper = { name: "helper", description: "Helps.", tape: [{ answer: "from the helper" }] };
  const registry = registryOf(definition, helper);
  const backends = acpBackend({
    home,
    clock: systemClock,
    mint: fakeMint(),
    version: "0.0.0",
    lookup: (name) => (name === "PATH" ? process.env["PATH"] : undefined),
    readCommand: understand,
    ownTools: ownToolsFor(registry),
    ...options,
  });
  const started = await startEngine({
    world: testWorld(),
    registry,
    backends: isUnseen ? backends.map((backend) => ({ ...backend, obstacle: async () => null })) : backends,
    workspaces: sharedWorkspaces(project),
    gates: outputSchemaGates,
    custody,
    live: { write: (_task, part) => void parts.push(part) },
    ...engine,
  });
  return { engine: started, project, home, parts, [Symbol.asyncDispose]: () => started[Symbol.asyncDispose]() };
}

/** Everything is allowed, and so nothing asked. */
export const FREE: Partial<Definition> = {
  permission_mode: "auto",
  workspace: { allow_writes: true },
  policy: { fs: { write: ["."] } },
};

export const outcomeOf = async (
  steps: readonly Step[],
  setup: AcpSetup = {},
  more: Script = {},
): Promise<Outcome | null> => {
  await using world = await withPeer({ prompts: [steps], ...more }, setup);
  return (await world.engine.run({ agent: "peer" })).outcome;
};

export async function ended(engine: TestEngine, task: TaskId): Promise<TaskView> {
  await eventually("the task ends", async () => (await engine.show(task)).outcome !== null);
  return engine.show(task);
}

/** What was shown of its text, put together. */
export const said = (parts: readonly LivePart[]): string =>
  parts.map((part) => (part.type === "text-delta" ? part.text : "")).join("");
