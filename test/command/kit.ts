// The command backend under the real engine, with real processes. The engine's clock is the fake one: time
// limits pass when a test says so, and programs take the time that they take.
import { join } from "node:path";
import { commandBackend } from "../../src/backends/command/command-backend.ts";
import type { Custody } from "../../src/ports/index.ts";
import type { LivePart, TaskId, TaskView } from "../../src/schema/index.ts";
import { registryOf, startEngine, type TestEngine, type TestEngineOptions } from "../../src/testing/index.ts";
import { sharedWorkspaces } from "../../src/workspaces/shared/shared-workspaces.ts";
import { eventually, temporaryFolder } from "../custody/kit.ts";
import type { Definition } from "../engine/kit.ts";

export interface CommandEngine extends AsyncDisposable {
  readonly engine: TestEngine;
  readonly project: string;
  readonly home: string;
  /** All that was shown, in order. */
  readonly parts: LivePart[];
}

export async function withCommand(
  custody: Custody,
  command: readonly string[],
  agent: Partial<Definition> = {},
  more: Partial<TestEngineOptions> = {},
): Promise<CommandEngine> {
  const project = temporaryFolder();
  const home = join(project, ".cadre");
  const parts: LivePart[] = [];
  const definition = { name: "prog", description: "A program.", backend: "command", command: [...command], ...agent };
  const engine = await startEngine({
    registry: registryOf(definition),
    backends: [commandBackend({ home })],
    workspaces: sharedWorkspaces(project),
    custody,
    live: { write: (_task, part) => void parts.push(part) },
    ...more,
  });
  return { engine, project, home, parts, [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose]() };
}

/** What was shown of one stream, put together. */
export const shown = (parts: readonly LivePart[], call: "stdout" | "stderr"): string =>
  parts.map((part) => (part.type === "output-delta" && part.call === call ? part.text : "")).join("");

export async function ended(engine: TestEngine, task: TaskId): Promise<TaskView> {
  const isEnded = async () => (await engine.show(task)).outcome !== null;
  await eventually("the task ends", isEnded);
  return engine.show(task);
}
