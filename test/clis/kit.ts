// The real CLIs under the real engine, against a model on loopback. The engine's clock is the fake one.
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Cli } from "../../src/backends/cli/cli.ts";
import { cliBackend } from "../../src/backends/cli/cli-backend.ts";
import type { CliOptions } from "../../src/backends/cli/cli-options.ts";
import { ownToolsFor } from "../../src/app/own-tools.ts";
import { openCustody } from "../../src/custody/index.ts";
import { understand } from "../../src/tools/bash/shell-grammar.ts";
import { outputSchemaGates } from "../../src/gates/output-schema/output-schema-gate.ts";
import type { Confinement } from "../../src/ports/index.ts";
import type { Envelope, LivePart, TaskId, TaskView } from "../../src/schema/index.ts";
import { registryOf, startEngine, type TestEngine } from "../../src/testing/index.ts";
import { sharedWorkspaces } from "../../src/workspaces/shared/shared-workspaces.ts";
import { eventually } from "../custody/kit.ts";
import type { Definition } from "../engine/kit.ts";
import { BIN } from "./programs.ts";
import { recorded } from "./recorded-custody.ts";
import { type ModelServer, type Reply, startModel } from "./model-server.ts";

export const KEY = "dummy-key-of-the-tests";

export interface CliWorld extends AsyncDisposable {
  readonly engine: TestEngine;
  readonly model: ModelServer;
  readonly project: string;
  readonly home: string;
  readonly parts: LivePart[];
}

const custody = recorded(await openCustody());

/** `agent` is what its one agent, `worker`, is told to be. `name`: of the project's folder. */
export async function withCli(
  cli: Cli,
  replies: readonly Reply[],
  agent: Partial<Definition> = {},
  env: Readonly<Record<string, string>> = {},
  options: Partial<CliOptions> = {},
  confinementIn?: (home: string) => Confinement,
  name = ".",
): Promise<CliWorld> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "cadre-clis-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const project = join(folder, name);
  const home = join(project, ".cadre");
  mkdirSync(join(home, "workspace"), { recursive: true });
  const model = await startModel(replies);
  const parts: LivePart[] = [];
  const registry = registryOf(
    { name: "worker", description: "Works.", backend: cli.name, ...agent },
    { name: "helper", description: "Helps.", backend: "tape", tape: [{ answer: "from the helper" }] },
  );
  const engine = await startEngine({
    registry,
    credentials: { known: () => [["KEY", KEY]] },
    backends: [
      cliBackend(cli, {
        home,
        project,
        userHome: undefined,
        env: { PATH: `${BIN}:${process.env["PATH"] ?? ""}`, ...variablesFor(cli, model), ...env },
        readCommand: understand,
        ownTools: ownToolsFor(registry),
        ...options,
      }),
    ],
    workspaces: sharedWorkspaces(project),
    gates: outputSchemaGates,
    ...(confinementIn === undefined ? {} : { confinement: confinementIn(home) }),
    custody,
    live: { write: (_task, part) => void parts.push(part) },
  });
  return {
    engine,
    model,
    project,
    home,
    parts,
    async [Symbol.asyncDispose]() {
      await engine[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
    },
  };
}

const BASE = { claude: "ANTHROPIC_BASE_URL", codex: "OPENAI_BASE_URL", gemini: "GOOGLE_GEMINI_BASE_URL" } as const;

function variablesFor(cli: Cli, model: ModelServer): Record<string, string> {
  const [key = ""] = cli.keys;
  const base = BASE[cli.name as keyof typeof BASE];
  return { [key]: KEY, [base]: cli.name === "codex" ? `${model.url}/v1` : model.url };
}

export async function ended(engine: TestEngine, task: TaskId): Promise<TaskView> {
  await eventually("the task ends", async () => (await engine.show(task)).outcome !== null, 60_000);
  return engine.show(task);
}

/** Everything that the log holds, as text: for what must not be in it. */
export const textOf = (log: readonly Envelope[]): string => JSON.stringify(log);
