// What an agent is told about how it ends, whoever runs its loop.
import type { Exit, TaskView } from "../schema/index.ts";
import { oneLine, savedAfter } from "./summaries.ts";

const oneOf = (exits: readonly Exit[]): string =>
  exits.length === 1 ? `\`${exits[0]}\`` : `one of ${exits.map((exit) => `\`${exit}\``).join(", ")}`;

/** Of an agent with exits. */
export const endsOnlyBy = (exits: readonly Exit[]): string =>
  `You end only by calling ${oneOf(exits)}. A reply without a tool call does not end your task`;

export const nudgeMessage = (exits: readonly Exit[]): string =>
  exits.length === 0
    ? "Your reply was empty. Go on with your task, or give your final answer."
    : `You have not ended your task: a reply alone does not. Go on, and when you are done call ${exits.map((exit) => `\`${exit}\``).join(" or ")}.`;

/** The results of children that ran in the background, so that none is lost, and which of them wait for a person. */
export function newsOf(children: readonly TaskView[]): string {
  const ended = children.filter(({ outcome }) => outcome !== null);
  const stuck = children.filter(({ outcome }) => outcome === null);
  return [
    ...(ended.length === 0
      ? []
      : ["Tasks that you started in the background have ended (TaskOutput has their whole output):"]),
    ...ended.map(endedLine),
    ...(stuck.length === 0
      ? []
      : ["Tasks that were interrupted go on only when a person says so; you need not wait for them:"]),
    ...stuck.map(
      ({ id, spec, interruption }) => `- ${spec.definition.name} (${id}): ${oneLine(interruption ?? "", MAX_NEWS)}`,
    ),
  ].join("\n");
}

function endedLine({ id, spec, status, outcome }: TaskView): string {
  const text = outcome?.status === "completed" ? outcome.answer : outcome?.status === "failed" ? outcome.message : "";
  const recovered = outcome?.status === "completed" ? outcome.recovered : null;
  const how = recovered === null ? status : `${status} (${savedAfter(recovered)})`;
  return `- ${spec.definition.name} (${id}): ${how}. ${oneLine(text, MAX_NEWS)}`;
}

const MAX_NEWS = 2_000;

/** Of an agent that may delegate. Empty: there is none. */
export function agentsText(agents: readonly { readonly name: string; readonly description: string }[]): string {
  if (agents.length === 0) return "";
  const lines = agents.map(({ name, description }) => `- ${name}: ${description.replaceAll(/\s+/g, " ")}`);
  return ["## Agents\nYou may delegate to these agents:", ...lines].join("\n");
}
