import { parse } from "node:path";
import type { AgentDefinition } from "../schema/index.ts";
import type { AgentText, FoundFile, ReadAgent, TextReader } from "./agent-file.ts";
import type { Format, FormatId, Reading, Remark } from "./formats/format.ts";
import { backendOf, warningsIn } from "./formats/format.ts";

/** Another program's format. Its agents run on that program where Cadre can drive it, else on our own loop. */
export const foreignReader = (id: FormatId, load: (id: FormatId) => Promise<Format>): TextReader => ({
  id,
  async read(file) {
    const readings = (await load(id)).read(file);
    return {
      agents: readings.flatMap((reading) =>
        reading.ok ? [{ definition: asForeign(reading.definition, id, file.path), ...saidOf(reading.remarks) }] : [],
      ),
      problems: readings.flatMap((reading) => (reading.ok ? [] : [problemOf(reading, file.path)])),
    };
  },
});

/** Of a program whose files complete each other. */
export const togetherReader = (id: FormatId, readAll: ReadTogether): TextReader => ({
  id,
  read: async (text) => ({ agents: [], problems: [], text }),
  async together(texts) {
    const [first] = texts;
    const readings = first === undefined ? [] : await readAll(texts);
    return readings.map((reading): FoundFile => {
      const path = pathOf(reading, texts) ?? first?.path ?? "";
      if (!reading.ok) return { path, agents: [], problems: [problemOf(reading, path)] };
      const agent = { definition: asForeign(reading.definition, id, path), ...saidOf(reading.remarks) };
      return { path, agents: [agent], problems: [] };
    });
  },
});

export type ReadTogether = (texts: readonly AgentText[]) => Promise<readonly Reading[]>;

/** The agent's own file, where it has one. */
const pathOf = (reading: Reading, texts: readonly AgentText[]): string | undefined =>
  reading.ok ? texts.find(({ below }) => parse(below).name === reading.definition.name)?.path : undefined;

/** The engine takes the first backend that there is. */
const backendsFor = (id: FormatId): string[] => {
  const own = backendOf(id);
  return own === undefined ? ["native"] : [own, "native"];
};

const asForeign = (definition: AgentDefinition, id: FormatId, file: string): AgentDefinition => ({
  ...definition,
  backend: definition.backend ?? backendsFor(id),
  source: { ...definition.source, from: id, file },
});

const saidOf = (remarks: readonly Remark[]): Omit<ReadAgent, "definition"> => ({
  notes: notesOf(remarks),
  warnings: warningsIn(remarks),
});

/** What was meant otherwise than it is done here. What has only another name, or is only kept, is no news. */
const notesOf = (remarks: readonly Remark[]): string[] =>
  remarks
    .filter(({ kind }) => kind === "narrowed" || kind === "repaired" || kind === "lost")
    .map(({ kind, field, message }) => `${kind}: ${field}: ${message}`);

const problemOf = ({ problem }: Extract<Reading, { ok: false }>, source: string) => ({
  source,
  message: problem.replaceAll(/\s+/g, " "),
});
