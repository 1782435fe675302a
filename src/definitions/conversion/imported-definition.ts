import { isDeepStrictEqual } from "node:util";
import { unknownPlaces } from "../../domain/templates.ts";
import type { AgentDefinition, Source } from "../../schema/index.ts";
import type { FormatId } from "../formats/format.ts";

/** No programs that Cadre drives: their agents run on our own loop. */
const UNDRIVEN: ReadonlySet<FormatId> = new Set(["gencode", "glee", "yeet"]);

/** An agent of another program as one of ours, which that program is to run. */
export function importedDefinition(definition: AgentDefinition, from: FormatId, source: Source): AgentDefinition {
  const { prompt, query } = definition;
  const escaped = { prompt: withEscapes(prompt, definition) };
  return {
    ...definition,
    ...escaped,
    ...(query === undefined ? {} : { query: withEscapes(query, definition) }),
    backend: definition.backend ?? (UNDRIVEN.has(from) ? "native" : from),
    source,
  };
}

/** What looks like an input and is none: our own files have to say so. */
const withEscapes = (text: string, { inputs }: AgentDefinition): string =>
  unknownPlaces(text, inputs).reduce((all, name) => all.replace(bare(name), () => `$\${${name}}`), text);

const bare = (name: string): RegExp => new RegExp(`(?<!\\$)\\$\\{${name}\\}`, "g");

/** Whether an agent is still what its file says: whoever runs it, and wherever it was found. */
export function isStill(definition: AgentDefinition, read: AgentDefinition, from: FormatId): boolean {
  const again = importedDefinition(read, from, { from, file: "-" });
  const bared = ({ backend: _, source: __, ...rest }: AgentDefinition) => rest;
  return isDeepStrictEqual(bared(definition), bared(again)) || isDeepStrictEqual(bared(definition), bared(read));
}
