import type { Attempt, AttemptScope, Clock, Mint, Tool, Toolbox } from "../../ports/index.ts";
import { type Json, JsonObject } from "../../schema/index.ts";
import { failed } from "../define-tool.ts";
import { inEnvelope } from "../envelope.ts";
import { runProgram } from "./run-program.ts";
import { toolCommand, type ToolCommand } from "./tool-command.ts";
import { findTools, type FoundTool, type ToolLayer, type ToolTrust } from "./tool-folders.ts";
import { inputSchemaOf } from "./tool-inputs.ts";

export interface ManifestParts {
  readonly layers: readonly ToolLayer[];
  readonly trust: ToolTrust;
  readonly clock: Clock;
  readonly mint: Pick<Mint, "token">;
}

/** The tools that people have written, as they are when the attempt begins: what is edited later counts later. */
export const manifestTools =
  (parts: ManifestParts): Toolbox =>
  async (attempt, scope) => {
    const { tools } = await findTools(parts.layers, parts.trust);
    return {
      tools: tools
        .filter(({ trusted, unseen }) => trusted && unseen === undefined)
        .map((found) => manifestTool(found, attempt, scope, parts)),
      [Symbol.asyncDispose]: async () => undefined, // programs end with the keep of the attempt
    };
  };

function manifestTool(found: FoundTool, attempt: Attempt, scope: AttemptScope, parts: ManifestParts): Tool {
  const { name, description, effect, inputs } = found.manifest;
  const prepare = (input: Json): ToolCommand => {
    const given = JsonObject.safeParse(input);
    if (!given.success) return { ok: false, problem: `${name} takes an object of its inputs` };
    return toolCommand(found, given.data, attempt.workspace.root, attempt.task.spec.policy.env.allow);
  };
  return {
    name,
    description,
    effect,
    inputSchema: inputSchemaOf(inputs),
    plan(input) {
      const prepared = prepare(input);
      return prepared.ok ? { ok: true, use: { effect, leavesTraces: true } } : prepared;
    },
    async run(input, call) {
      const prepared = prepare(input);
      if (!prepared.ok) return failed(prepared.problem);
      const { ok, text, leftOut } = await runProgram(prepared.run, {
        keep: attempt.keep,
        wrap: (command) => attempt.confinement.wrap(command),
        clock: parts.clock,
        signal: scope.signal,
        show: (shown) => scope.live({ type: "output-delta", call, text: shown }),
      });
      const shown = text.trim() === "" ? "(no output)" : inEnvelope(`tool ${name}`, text, parts.mint.token());
      return { ok, text: shown, leftOut };
    },
  };
}
