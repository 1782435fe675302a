// Agents to and from other programs, as operations reach it.
import type { Clock, Conversion, ImportedAgent, ImportWish, Registry } from "../../ports/index.ts";
import { invalidInput } from "../../errors/index.ts";
import { cachingReader } from "../agent-file.ts";
import { type Format, type FormatId, FORMATS } from "../formats/format.ts";
import { PLACES } from "../formats/places.ts";
import { checkAgents } from "./check-agents.ts";
import { createAgent } from "./create-agent.ts";
import { writeNewAgent } from "./write-new-agent.ts";
import { detectFormat, formatByPlace } from "./detect-format.ts";
import { exportAgents } from "./export-agents.ts";
import { textOf, textsIn } from "./foreign-files.ts";
import { formatNamed } from "./format-named.ts";
import { importFile, type ImportPlace } from "./import-agent.ts";
import { absolutePath, type Roots, shownPath } from "./shown-path.ts";

export interface ConversionOptions {
  readonly roots: Roots;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly load: (id: FormatId) => Promise<Format>;
  /** Names of tools that people have written. */
  readonly tools: () => Promise<readonly string[]>;
  /** Finds out which models there are; asked once per check. */
  readonly models: () => Promise<(model: string) => boolean>;
}

export function openConversion(options: ConversionOptions): Conversion {
  const { roots, registry, clock, load } = options;
  return {
    async import(wish) {
      const place: ImportPlace = { roots, clock, wish, taken: new Map(), readOwn: cachingReader() };
      return wish.file === undefined ? importAll(wish, place, load) : importOne(wish.file, wish, place, load);
    },
    export: async (wish) => exportAgents(wish, await load(formatNamed(wish.to)), registry, roots),
    async check(wish) {
      const [tools, knowsModel] = await Promise.all([options.tools(), options.models()]);
      return checkAgents(wish, { roots, registry, load, tools, knowsModel });
    },
    create: (name, description) => createAgent(name, description, roots),
    write: (agent, proposed) => writeNewAgent(agent, proposed, registry, roots),
  };
}

type Load = ConversionOptions["load"];

async function importAll({ from, all }: ImportWish, place: ImportPlace, load: Load): Promise<ImportedAgent[]> {
  if (from === undefined) {
    throw invalidInput("this needs a program or a file", { hint: `--from ${FORMATS.join("|")}, or --file <file>` });
  }
  const id = formatNamed(from);
  const places = PLACES[id].filter(({ of }) => all || of === "project");
  const { files, problems } = await textsIn(places, place.roots);
  const format = await load(id);
  const rows = problems.map(({ source, message }) => unreadable(id, shownPath(source, place.roots), message));
  for (const file of files) rows.push(...(await importFile(file, format, place)));
  return rows;
}

async function importOne(file: string, { from }: ImportWish, place: ImportPlace, load: Load): Promise<ImportedAgent[]> {
  const path = absolutePath(file, place.roots);
  const found = await textOf(path);
  const shown = shownPath(path, place.roots);
  if (!("text" in found)) return [unreadable(from ?? "unknown", shown, found.message)];
  const id = from === undefined ? detectFormat(path, found.text) : formatNamed(from);
  if (id === undefined) {
    throw invalidInput(`nobody can tell whose agent ${shown} is`, { hint: "Say so: --from <program>" });
  }
  const at = formatByPlace(path);
  const below = at?.id === id ? at.below : found.below;
  return importFile({ ...found, below }, await load(id), place);
}

const unreadable = (from: string, source: string, message: string): ImportedAgent => ({
  agent: null,
  from,
  source,
  file: null,
  result: "failed",
  message,
  remarks: [],
});
