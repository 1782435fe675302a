// A task as an agent is told it: what is asked, and where it may write.
import type { TaskSpec } from "../schema/index.ts";
import { normalizePath } from "./scopes.ts";
import { fillTemplate } from "./templates.ts";

/** What is asked: the agent's own words with the inputs filled in, or the prompt. */
export const askedOf = ({ definition, inputs, prompt }: TaskSpec): string =>
  definition.query === undefined ? prompt : fillTemplate(definition.query, definition.inputs, inputs);

export interface OwnPlaces {
  readonly plan: string;
  readonly folder: string;
  /** Both, as the policy names them. */
  readonly scopes: readonly string[];
}

/** Its plan always, the folder where that is all that there is. An agent that only reads is told nothing of either. */
export function taskSentence(spec: TaskSpec, own: OwnPlaces): string {
  const asked = askedOf(spec);
  if (spec.policy.modes.includes("plan")) return asked;
  const sentence = /[.!?]\s*$/.test(asked) ? asked.trimEnd() : `${asked.trimEnd()}.`;
  const isOpen = spec.policy.fs.write.some((scope) => !own.scopes.includes(scope));
  const [plan, folder] = placesFor(spec, own);
  const only = isOpen ? "" : ` All file I/O must be within the '${folder}/' directory.`;
  return `Task: ${sentence} Your plan file is at ${plan}.${only}`;
}

/** As people name them, from the project, where the agent works in it; whole where it works in a folder of it. */
function placesFor({ workspace }: TaskSpec, { plan, folder, scopes }: OwnPlaces): [plan: string, folder: string] {
  const isInProject = workspace.mode === "shared" && normalizePath(workspace.path ?? ".") === ".";
  return isInProject ? [scopes[0] ?? plan, scopes[1] ?? folder] : [plan, folder];
}
