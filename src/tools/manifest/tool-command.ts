import { resolve } from "node:path";
import { namedFiles } from "../../platform/named-files.ts";
import { workerEnvironment } from "../../platform/process-environment.ts";
import type { JsonObject } from "../../schema/index.ts";
import { fillCommand } from "./fill-command.ts";
import type { ProgramRun } from "./run-program.ts";
import type { FoundTool } from "./tool-folders.ts";
import { readInputs } from "./tool-inputs.ts";

export type ToolCommand =
  | { readonly ok: true; readonly run: ProgramRun }
  | { readonly ok: false; readonly problem: string };

const ALWAYS = ["PATH", "HOME", "LANG"];

/** `allowed`: the variables that a policy lets through; null where a person runs it. */
export function toolCommand(
  { manifest, folder }: Pick<FoundTool, "manifest" | "folder">,
  given: JsonObject,
  cwd: string,
  allowed: readonly string[] | null,
): ToolCommand {
  const read = readInputs(manifest.inputs, given);
  if (!read.ok) return { ok: false, problem: `${manifest.name}: ${read.problem}` };
  const filled = fillCommand(manifest, read.inputs);
  if (!filled.ok) return { ok: false, problem: `${manifest.name}: ${filled.problem}` };
  const [program, ...args] = filled.argv;
  // A script of the tool lies beside its manifest.
  const file = /^\.{1,2}\//.test(program) ? resolve(folder, program) : program;
  const env = environment([...ALWAYS, ...manifest.env], allowed);
  // What its author names, not what a model gives as a value.
  const reads = [folder, ...namedFiles(manifest.command)];
  return { ok: true, run: { manifest, command: { file, args, cwd, env, reads }, stdin: filled.stdin } };
}

function environment(names: readonly string[], allowed: readonly string[] | null): Record<string, string> {
  const own = workerEnvironment();
  const wanted = names.filter((name) => allowed === null || allowed.includes(name));
  return Object.fromEntries(
    wanted.flatMap((name) => {
      const value = Object.hasOwn(own, name) ? own[name] : undefined;
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}
