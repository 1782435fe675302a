import { isDeepStrictEqual } from "node:util";
import { unknownPlaces } from "../../domain/templates.ts";
import type { AgentDefinition, Source } from "../../schema/index.ts";
import type { FormatId } from "../formats/format.ts";
import { backendOf } from "../formats/format.ts";

/** An agent of another program as one of ours, which that program is to run. */
export function importedDefinition(definition: AgentDefinition, from: FormatId, source: Source): AgentDefinition {
  const { prompt, query } = definition;
  return {
    ...definition,
    prompt: withEscapes(prompt, definition),
    ...(query === undefined ? {} : { query: withEscapes(query, definition) }),
    backend: definition.backend ?? backendOf(from) ?? "native",
    source,
  };
}

/** What looks like an input and is none: our own files have to say so. */
const withEscapes = (text: string, { inputs }: AgentDefinition): string =>
  unknownPlaces(text, inputs).reduce((all, name) => all.replace(bare(name), () => `$\${${name}}`), text);

const bare = (name: string): RegExp => new RegExp(`(?<!\\$)\\$\\{${name}\\}`, "g");

/** Whether an agent is still what its file says. Who runs it counts where the file has a word on that. */
export function isStill(definition: AgentDefinition, read: AgentDefinition, from: FormatId): boolean {
  if (read.backend !== undefined && !isDeepStrictEqual(read.backend, definition.backend)) return false;
  const again = importedDefinition(read, from, { from, file: "-" });
  return [again, read].some((one) => isDeepStrictEqual(bared(definition), bared(one)));
}

const bared = (definition: AgentDefinition): object =>
  Object.fromEntries(Object.entries(definition).filter(([field]) => field !== "backend" && field !== "source"));
