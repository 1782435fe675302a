import { outputSchemaGates } from "../../src/gates/output-schema/output-schema-gate.ts";
import { problemsOf } from "../../src/gates/output-schema/check-output.ts";
import { type LoopParts, nativeBackend } from "../../src/loop/index.ts";
import type { Model, ModelMessage, Tool, ToolResult } from "../../src/ports/index.ts";
import type { BackgroundShells } from "../../src/tools/bash/background-shells.ts";
import { delegationTools } from "../../src/tools/delegation/delegation-tools.ts";
import type * as z from "zod";
import type {
  AgentDefinition,
  Effect,
  Envelope,
  Json,
  TaskEvent,
  TaskEventType,
  TaskStatus,
  TaskView,
} from "../../src/schema/index.ts";
import { registryOf, startEngine, type TestEngine, type TestEngineOptions } from "../../src/testing/index.ts";

// Loaded now: a test counts rounds of the event loop, and must not count the loading of code.
await import("../../src/loop/agent-run.ts");

export interface LoopOptions extends Omit<TestEngineOptions, "registry"> {
  readonly models: Readonly<Record<string, Model>> | Model;
  readonly tools?: readonly Tool[];
  /** With the tools that delegate, where the agents' definitions ask for them. */
  readonly delegation?: boolean;
  /** Beside them, for `TaskOutput` and `TaskStop`. */
  readonly shells?: BackgroundShells;
  /** When the tools of an attempt are let go. */
  readonly onDispose?: () => void;
  readonly loop?: Partial<LoopParts>;
  readonly secretNames?: readonly string[];
  readonly agents?: readonly z.input<typeof AgentDefinition>[];
}

export type AgentWish = z.input<typeof AgentDefinition>;

export interface LoopEngine extends TestEngine {
  /** Results that were too long, whole. */
  readonly kept: string[];
  all(): Promise<readonly TaskView[]>;
  children(of: TaskView): Promise<TaskView[]>;
  /** Lets everything happen that needs no time, until the tasks of this agent are there and all are so. */
  untilAll(agent: string, status: TaskStatus): Promise<void>;
}

/** An agent named `agent`, or those that are given, on our own loop with a model of the test's. */
export async function startLoop(options: LoopOptions): Promise<LoopEngine> {
  const kept: string[] = [];
  const registry = registryOf(...(options.agents ?? [{ name: "agent", description: "does what it is told" }]));
  const { models } = options;
  const isOne = "stream" in models;
  const modelFor = (definition: AgentDefinition): Model => {
    const found = isOne ? (models as Model) : models[definition.name];
    if (found === undefined) throw new Error(`no model for ${definition.name}`);
    return found;
  };
  const backendFor = (world: TestEngine["world"]) =>
    nativeBackend(
      async () => ({
        openModel: async ({ definition }) => modelFor(definition),
        obstacle: async () => null,
        secretsFor: async () => [],
        toolbox: async (attempt, scope) => {
          const delegation =
            options.delegation === true
              ? (await delegationTools(registry, options.shells ?? NO_SHELLS, attempt, scope)).tools
              : [];
          const dispose = async () => options.onDispose?.();
          return { tools: [...(options.tools ?? []), ...delegation], [Symbol.asyncDispose]: dispose };
        },
        registry,
        contextFor: async () => [],
        keepWhole: async (_attempt, call, text) => {
          kept.push(text);
          return `/kept/${call}.txt`;
        },
        wholeAt: (_attempt, call) => `/kept/${call}.txt`,
        planOf: async () => "",
        problemsOf: async (schema, value) => problemsOf(schema, value),
        clock: world.clock,
        mint: world.mint,
        platform: "linux",
        settings: { graceMs: 60_000 },
        ...options.loop,
      }),
      async () => options.secretNames ?? [],
    );
  const { world } = options;
  const settled = world ?? (await import("../../src/testing/index.ts")).testWorld();
  const engine = await startEngine({
    gates: outputSchemaGates,
    ...options,
    world: settled,
    registry,
    backends: [backendFor(settled), ...(options.backends ?? [])],
  });
  const all = () => settled.store.tasks({ limit: 1_000 });
  return Object.assign(engine, {
    kept,
    all,
    children: async ({ id }: TaskView) => (await all()).filter(({ spec }) => spec.parent === id).toSorted(byAge),
    async untilAll(agent: string, status: TaskStatus) {
      for (let round = 0; round < 2_000; round++) {
        await settled.clock.settle();
        const those = (await all()).filter(({ spec }) => spec.definition.name === agent);
        if (those.length > 0 && those.every((one) => one.status === status)) return;
      }
      throw new Error(`not all tasks of ${agent} are ${status}`);
    },
  });
}

const byAge = (a: TaskView, b: TaskView): number => a.firstPosition - b.firstPosition;

/** What the model was given as results of its last calls. */
export const toolTexts = (request: { readonly messages: readonly ModelMessage[] } | undefined): string[] => {
  const messages = request?.messages ?? [];
  return messages
    .slice(messages.findLastIndex(({ role }) => role === "assistant"))
    .flatMap(({ role, text }) => (role === "tool" ? [text] : []));
};

export const NO_SHELLS: BackgroundShells = {
  list: () => [],
  output: async () => undefined,
  stop: async () => undefined,
};

export interface FakeTool extends Tool {
  readonly ran: Json[];
}

/** A tool that says what the test wants, and keeps what it was given. */
export function fakeTool(
  name: string,
  run: (input: Json) => ToolResult | Promise<ToolResult> = () => ({ ok: true, text: "ok" }),
  effect: Effect = "read",
): FakeTool {
  const ran: Json[] = [];
  return {
    name,
    description: `${name}, for tests`,
    effect,
    inputSchema: { type: "object" },
    ran,
    plan: () => ({ ok: true, use: { effect, ...(effect === "read" || effect === "write" ? { path: "a.txt" } : {}) } }),
    async run(input) {
      ran.push(input);
      return run(input);
    },
  };
}

export const factsOf = <Type extends TaskEventType>(log: readonly Envelope[], type: Type) =>
  log.map(({ event }) => event as TaskEvent).filter((event) => event.type === type) as Extract<
    TaskEvent,
    { type: Type }
  >[];

export const typesOf = (log: readonly Envelope[]): string[] => log.map(({ event }) => event.type);
