// New agents and tools, by an agent. What they write is there for a person to read, and does nothing before that: so
// it gives no right to anybody. Only where a definition names them.
import { givenIn } from "../../domain/given-tools.ts";
import { isNamedIn } from "../../domain/tool-rules.ts";
import type { Clock, Conversion, Tool, Toolbox, ToolShelf } from "../../ports/index.ts";
import { type AgentDefinition, NewAgent, NewTool, type Proposed } from "../../schema/index.ts";
import { defineTool, done } from "../define-tool.ts";

export interface CreationParts {
  readonly clock: Pick<Clock, "now">;
  readonly conversion: () => Promise<Pick<Conversion, "write">>;
  readonly tools: () => Promise<Pick<ToolShelf, "write">>;
}

export const creationTools =
  (parts: CreationParts): Toolbox =>
  async ({ task }) => {
    const { definition } = task.spec;
    const by = `the agent ${definition.name}`;
    const proposed = (): Proposed => ({ by, at: new Date(parts.clock.now()).toISOString() });
    const all = [agentCreate(parts, proposed), toolCreate(parts, proposed)];
    return {
      tools: all.filter(({ name }) => isNamed(definition, name)),
      [Symbol.asyncDispose]: async () => undefined,
    };
  };

const isNamed = ({ tools }: AgentDefinition, name: string): boolean => isNamedIn(givenIn(tools), name);

const WAITS = "It waits for a person to read it and say: cadre trust";

const agentCreate = ({ conversion }: CreationParts, proposed: () => Proposed): Tool =>
  defineTool({
    name: "AgentCreate",
    description:
      "Writes a new agent for this project, for a person to read and agree to; until then it does nothing, and you cannot call it. Never overwrites one.",
    effect: "none",
    input: NewAgent,
    plan: () => ({ ok: true, use: { effect: "none", leavesTraces: true } }),
    async run(wish) {
      const { file } = await (await conversion()).write(wish, proposed());
      return done(`The agent "${wish.name}" was written to ${file}. ${WAITS}`);
    },
  });

const toolCreate = ({ tools }: CreationParts, proposed: () => Proposed): Tool =>
  defineTool({
    name: "ToolCreate",
    description:
      "Writes a new tool for agents of this project, for a person to read and agree to; until then it does nothing. Never overwrites one.",
    effect: "none",
    input: NewTool,
    plan: () => ({ ok: true, use: { effect: "none", leavesTraces: true } }),
    async run(wish) {
      const { file } = await (await tools()).write(wish, "project", proposed());
      return done(`The tool "${wish.name}" was written to ${file}. ${WAITS}`);
    },
  });
