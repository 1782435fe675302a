// What is wrong with agents: what their readers say, and what looks like a mistake.
import { readdirSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { agentKey } from "../../domain/agent-names.ts";
import { invalidInput } from "../../errors/index.ts";
import type { CheckFinding, CheckWish, Registry } from "../../ports/index.ts";
import type { AgentDefinition } from "../../schema/index.ts";
import { type ForeignFile, type Format, type FormatId, warningsIn } from "../formats/format.ts";
import { isInside } from "../inside.ts";
import { notesOn } from "../own-format/notes-on.ts";
import type { AgentRead } from "../own-format/read-agent.ts";
import { readAgentText } from "../own-format/read-agent-text.ts";
import { alikePairs } from "./alike-descriptions.ts";
import { formatByPlace } from "./detect-format.ts";
import { textOf } from "./foreign-files.ts";
import { type Lint, lintAgent, type LintOptions } from "./lint-agent.ts";
import { absolutePath, type Roots, shownPath } from "./shown-path.ts";

export interface CheckOptions extends LintOptions {
  readonly roots: Roots;
  readonly registry: Registry;
  readonly load: (id: FormatId) => Promise<Format>;
}

export interface Checked {
  readonly checked: number;
  readonly findings: readonly CheckFinding[];
}

interface Described {
  readonly name: string;
  readonly description: string;
  readonly source: string;
}

interface Found {
  readonly agents: readonly Described[];
  readonly findings: readonly CheckFinding[];
}

export async function checkAgents(wish: CheckWish, options: CheckOptions): Promise<Checked> {
  const { agents, findings } = wish.path === undefined ? await checkAll(options) : await checkPath(wish, options);
  // Of one name only the first is used.
  const used = new Map(agents.toReversed().map((agent) => [agentKey(agent.name), agent]));
  const alike = alikePairs([...used.values()].toReversed())
    .filter(([one, other]) => one.source !== BUILT_IN || other.source !== BUILT_IN)
    .map(([one, other]) => {
      const [known, second] = one.source === BUILT_IN ? [one, other] : [other, one];
      const message = `"${second.name}" can hardly be told from "${known.name}" (${known.source}): their descriptions are alike`;
      return problem(second.source, message);
    });
  return { checked: agents.length, findings: [...findings, ...alike] };
}

const BUILT_IN = "built in";
const problem = (source: string, message: string): CheckFinding => ({ kind: "problem", source, message });
const warning = (source: string, message: string): CheckFinding => ({ kind: "warning", source, message });
const note = (source: string, message: string): CheckFinding => ({ kind: "note", source, message });

/** All agents that there are. Those that come with Cadre are only compared with. */
async function checkAll(options: CheckOptions): Promise<Found> {
  const { agents, problems } = await options.registry.list();
  const findings = problems.map(({ source, message }) => {
    // To put another agent before one of the same name, or to disable one, is what people do on purpose.
    const shown = shownPath(source, options.roots);
    return / is (?:hidden|disabled) by /.test(message) ? note(shown, message) : problem(shown, message);
  });
  for (const agent of agents.filter(({ source }) => source !== BUILT_IN)) {
    const { definition, source, notes = [], warnings = [], unseen = [] } = agent;
    const shown = shownPath(source, options.roots);
    findings.push(...warnings.map((text) => warning(shown, `${definition.name}: ${text}`)));
    findings.push(...notes.map((text) => note(shown, `${definition.name}: ${text}`)));
    findings.push(...unseen.map((text) => note(shown, `${definition.name} waits for you (cadre trust): ${text}`)));
    const at = await ownPlaces(definition, source, shown);
    findings.push(...lintAgent(definition, options).map(({ path, message }) => problem(at(path), message)));
  }
  const described = agents.map(({ definition: { name, description }, source }) => {
    return { name, description, source: shownPath(source, options.roots) };
  });
  return { agents: described, findings };
}

type PlaceOf = (path: Lint["path"]) => string;

/** Where a part of an agent stands: by line and column in our own files, else only by the file. */
async function ownPlaces({ source: origin }: AgentDefinition, file: string, shown: string): Promise<PlaceOf> {
  const isOwn = /\.(md|ya?ml)$/.test(file) && (origin === undefined || origin.imported_at !== undefined);
  const found = isOwn ? await textOf(file) : undefined;
  const read = found !== undefined && "text" in found ? await readAgentText(found.text, file) : undefined;
  return read?.ok === true ? placesIn(read, shown) : () => shown;
}

const placesIn =
  ({ placeOf }: Extract<AgentRead, { ok: true }>, shown: string): PlaceOf =>
  (path) => {
    const { line, column } = placeOf(path);
    return `${shown}:${line}:${column}`;
  };

async function checkPath({ path = ".", anywhere }: CheckWish, options: CheckOptions): Promise<Found> {
  const { roots } = options;
  const real = realOf(absolutePath(path, roots), path);
  if (!anywhere && !isInside(real, realOf(roots.project, roots.project))) {
    throw invalidInput(`${path} is outside of the project`, {
      hint: "Only a person may have files elsewhere checked.",
    });
  }
  const found = await Promise.all(filesBelow(real).map((file) => checkFile(file, options)));
  return { agents: found.flatMap(({ agents }) => agents), findings: found.flatMap(({ findings }) => findings) };
}

function realOf(path: string, shown: string): string {
  try {
    return realpathSync.native(path);
  } catch (error) {
    throw invalidInput(`${shown} cannot be opened`, { cause: error });
  }
}

const ENDINGS = [".md", ".yml", ".yaml", ".toml", ".json", ".jsonc", ".roomodes"];
const MOST_FILES = 10_000;

/** Links are not followed. Names that begin with `_` or `.` are drafts, and no agents. */
function filesBelow(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && ENDINGS.some((ending) => entry.name.endsWith(ending)))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !/(^|\/)(_[^/]*|node_modules)(\/|$)/.test(file.slice(path.length)))
    .toSorted()
    .slice(0, MOST_FILES);
}

async function checkFile(file: string, options: CheckOptions): Promise<Found> {
  const shown = shownPath(file, options.roots);
  const found = await textOf(file);
  if (!("text" in found)) return { agents: [], findings: [problem(shown, found.message)] };
  const place = formatByPlace(file);
  return place === undefined
    ? checkOwn(found.text, file, shown, options)
    : checkForeign(place.id, { path: shown, below: place.below, text: found.text }, options);
}

async function checkOwn(text: string, file: string, shown: string, options: CheckOptions): Promise<Found> {
  const read = await readAgentText(text, file);
  if (!read.ok) {
    const findings = read.problems.map(({ line, column, message }) => problem(`${shown}:${line}:${column}`, message));
    return { agents: [], findings };
  }
  const at = placesIn(read, shown);
  const { name, description } = read.definition;
  const lints = lintAgent(read.definition, options).map(({ path, message }) => problem(at(path), message));
  const notes = [...read.warnings, ...notesOn(read.definition).map((said) => `${name}: ${said}`)];
  const findings = [...notes.map((message) => note(shown, message)), ...lints];
  return { agents: [{ name, description, source: shown }], findings };
}

async function checkForeign(id: FormatId, file: ForeignFile, options: CheckOptions): Promise<Found> {
  const readings = (await options.load(id)).read(file);
  const found = readings.map((reading): Found => {
    if (!reading.ok) return { agents: [], findings: [problem(file.path, reading.problem)] };
    const { definition, remarks } = reading;
    const said = remarks
      .filter(({ kind }) => kind === "narrowed" || kind === "repaired")
      .map(({ kind, field, message }) => note(file.path, `${definition.name}: ${kind}: ${field}: ${message}`));
    const unknown = warningsIn(remarks).map((message) => warning(file.path, `${definition.name}: ${message}`));
    const foreign = { ...definition, backend: definition.backend ?? id, source: { from: id, file: file.path } };
    const lints = lintAgent(foreign, options).map(({ message }) => problem(file.path, message));
    const { name, description } = definition;
    return { agents: [{ name, description, source: file.path }], findings: [...unknown, ...said, ...lints] };
  });
  return { agents: found.flatMap(({ agents }) => agents), findings: found.flatMap(({ findings }) => findings) };
}
