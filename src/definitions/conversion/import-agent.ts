// Agents of other programs as files of ours. Nothing is written but in the agents folder of the home.
import { join } from "node:path";
import { agentKey } from "../../domain/agent-names.ts";
import { OwnedFolder } from "../../platform/owned-folder.ts";
import type { Clock, ImportedAgent, ImportWish } from "../../ports/index.ts";
import type { AgentDefinition } from "../../schema/index.ts";
import { cachingReader, type FileReader } from "../agent-file.ts";
import { readAgentFolder } from "../agent-folder.ts";
import type { Format, Reading } from "../formats/format.ts";
import { MAX_FILE_BYTES } from "../own-format/size-limit.ts";
import { readAgentText } from "../own-format/read-agent-text.ts";
import { ownReader } from "../own-reader.ts";
import type { FoundText } from "./foreign-files.ts";
import { importedDefinition } from "./imported-definition.ts";
import { importedText, isAsImported, wasImported } from "./imported-text.ts";
import { type Roots, shownPath } from "./shown-path.ts";

export interface ImportPlace {
  readonly roots: Roots;
  readonly clock: Clock;
  readonly wish: Pick<ImportWish, "dry" | "update">;
  /** By name, where each agent of this import came from: of two of one name the first is taken. */
  readonly taken: Map<string, string>;
  /** For our own files: each is read once, however many agents are imported. */
  readonly readOwn: FileReader;
}

type Outcome = Pick<ImportedAgent, "file" | "result" | "message">;

const refused = (file: string | null, message: string): Outcome => ({ file, result: "refused", message });
const failed = (file: string | null, message: string): Outcome => ({ file, result: "failed", message });

/** Every agent that a file holds. */
export async function importFile(found: FoundText, format: Format, place: ImportPlace): Promise<ImportedAgent[]> {
  const source = shownPath(found.path, place.roots);
  const rows: ImportedAgent[] = [];
  for (const reading of format.read(found)) {
    const said = { from: format.id, source };
    if (!reading.ok) rows.push({ agent: null, ...said, ...failed(null, reading.problem), remarks: [] });
    else {
      const { definition, remarks } = reading;
      const outcome = await importReading(reading, source, found.sha256, format, place);
      rows.push({ agent: definition.name, ...said, ...outcome, remarks });
    }
  }
  return rows;
}

async function importReading(
  { definition: read }: Extract<Reading, { ok: true }>,
  source: string,
  sha256: string,
  format: Format,
  { roots, clock, wish, taken, readOwn }: ImportPlace,
): Promise<Outcome> {
  const earlier = taken.get(agentKey(read.name));
  if (earlier !== undefined) return refused(null, `the name is taken already, by ${earlier}`);
  const produce = async (importedAt: string) => {
    const origin = { from: format.id, file: source, imported_at: importedAt, sha256 };
    return importedText(importedDefinition(read, format.id, origin));
  };
  const now = await produce(new Date(clock.now()).toISOString());
  if ("problem" in now) return failed(null, now.problem);
  const folder = new OwnedFolder(join(roots.home, "agents"));
  const target = join(folder.path, now.file);
  const file = shownPath(target, roots);
  const other = await otherOwner(folder.path, read.name, target, readOwn);
  if (other !== undefined) return refused(file, `there is an agent of that name: ${shownPath(other, roots)}`);
  const standing = await standingOf(folder, now.file, { from: format.id, file: source });
  if (standing.kind === "foreign") return refused(file, standing.why);
  taken.set(agentKey(read.name), source);
  if (standing.kind === "import") {
    const again = await produce(standing.importedAt);
    if (!("problem" in again) && again.text === standing.text) return { file, result: "unchanged", message: null };
    if (!isAsImported(standing.text) && !wish.update) {
      return refused(file, "it was changed here since it was imported; --update overwrites it");
    }
  }
  if (!wish.dry) {
    folder.replace(now.file, now.text);
    const problem = await problemAt(folder.path, now.file, read.name);
    if (problem !== undefined) return failed(file, problem);
  }
  return { file, result: standing.kind === "import" ? "updated" : "written", message: null };
}

/** Another file of ours that has an agent of this name. */
async function otherOwner(folder: string, name: string, target: string, read: FileReader): Promise<string | undefined> {
  const { files } = await readAgentFolder({ folder }, read, ownReader, () => undefined);
  const isNamesake = ({ definition }: { definition: AgentDefinition }) => agentKey(definition.name) === agentKey(name);
  return files.find(({ path, agents }) => path !== target && agents.some(isNamesake))?.path;
}

type Standing =
  | { readonly kind: "none" }
  /** Of the same file. */
  | { readonly kind: "import"; readonly text: string; readonly importedAt: string }
  /** Not ours to overwrite, whatever was asked. */
  | { readonly kind: "foreign"; readonly why: string };

/** What is there already. A file that does not say where it came from is somebody's own. */
async function standingOf(
  folder: OwnedFolder,
  name: string,
  origin: { readonly from: string; readonly file: string },
): Promise<Standing> {
  const found = folder.read(name, MAX_FILE_BYTES);
  if (found.kind === "missing") return { kind: "none" };
  if (found.kind !== "text") return { kind: "foreign", why: found.kind === "large" ? "it is too large" : found.why };
  const read = await readAgentText(found.text, name);
  if (!read.ok) {
    if (wasImported(found.text)) return { kind: "import", text: found.text, importedAt: "" };
    return { kind: "foreign", why: "there is a file of that name that cannot be read as an agent" };
  }
  const { source } = read.definition;
  if (source?.from === origin.from && source.file === origin.file) {
    return { kind: "import", text: found.text, importedAt: source.imported_at ?? "" };
  }
  const from = source === undefined ? "written here" : `imported from ${source.from}, ${source.file}`;
  return { kind: "foreign", why: `there is an agent of that name that was ${from}` };
}

/** What keeps the written file from loading. Nothing should. */
async function problemAt(folder: string, only: string, name: string): Promise<string | undefined> {
  const { files } = await readAgentFolder({ folder, only }, cachingReader(), ownReader, () => undefined);
  if (files.some(({ agents }) => agents.some(({ definition }) => definition.name === name))) return undefined;
  return `it was written and does not load: ${files[0]?.problems[0]?.message ?? "it is not there"}`;
}
