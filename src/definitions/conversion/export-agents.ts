import { join } from "node:path";
import { agentKey } from "../../domain/agent-names.ts";
import { nearest } from "../../domain/nearest.ts";
import { agentNotFound, invalidInput } from "../../errors/index.ts";
import type { ExportedAgent, ExportWish, RegisteredAgent, Registry } from "../../ports/index.ts";
import type { AgentDefinition } from "../../schema/index.ts";
import type { Format } from "../formats/format.ts";
import { exportAgent, restrictionsLost } from "./export-agent.ts";
import { ownExportFolder, putFile } from "./export-files.ts";
import { type FoundText, textOf } from "./foreign-files.ts";
import { absolutePath, type Roots, shownPath } from "./shown-path.ts";

export async function exportAgents(
  wish: ExportWish,
  format: Format,
  registry: Registry,
  roots: Roots,
): Promise<ExportedAgent[]> {
  const { agents } = await registry.list();
  for (const name of wish.agents) {
    const isThere = agents.some(({ definition }) => agentKey(definition.name) === agentKey(name));
    if (!isThere) await registry.find(name); // it knows better why not
  }
  const chosen = choose(agents, wish);
  const folder = folderFor(wish, format, roots);
  const taken = new Map<string, string>();
  const rows: ExportedAgent[] = [];
  for (const definition of chosen) rows.push(await exportOne(definition, { wish, format, roots, folder, taken }));
  return rows;
}

/** Null: nothing is written. */
function folderFor({ out }: ExportWish, format: Format, roots: Roots): string | null {
  if (out === null) return null;
  return out === undefined ? ownExportFolder(roots.home, format.id) : absolutePath(out, roots);
}

function choose(agents: readonly RegisteredAgent[], { agents: names, all }: ExportWish): AgentDefinition[] {
  if (all) {
    const own = agents.filter(({ source }) => source !== "built in").map(({ definition }) => definition);
    // Of one name the first: it is the one that would run.
    return own.filter(({ name }, index) => own.findIndex((one) => agentKey(one.name) === agentKey(name)) === index);
  }
  if (names.length === 0)
    throw invalidInput("this needs the names of agents, or --all", { hint: "List them: cadre agents list" });
  return names.map((name) => {
    const named = agents.filter(({ definition }) => agentKey(definition.name) === agentKey(name));
    const found = named.find(({ trusted, unseen }) => trusted || unseen !== undefined) ?? named[0];
    if (found !== undefined) return found.definition;
    const known = agents.map(({ definition }) => definition.name);
    throw agentNotFound(name, nearest(name, known));
  });
}

interface ExportPlace {
  readonly wish: ExportWish;
  readonly format: Format;
  readonly roots: Roots;
  readonly folder: string | null;
  /** Who has a file already: some programs have one file for all agents. */
  readonly taken: Map<string, string>;
}

async function exportOne(definition: AgentDefinition, place: ExportPlace): Promise<ExportedAgent> {
  const { wish, format, roots, folder, taken } = place;
  const exported = exportAgent(definition, format, await originalOf(definition, roots));
  const row = { agent: definition.name, to: format.id, file: "", text: "", isOriginal: false, remarks: [] };
  if (!exported.ok) return { ...row, result: "failed", message: exported.problem };
  const { ok: _, ...found } = exported;
  const made = { ...found, file: fileFor(definition, found, taken) };
  const file = folder === null ? made.file : shownPath(join(folder, made.file), roots);
  const lost = wish.allowLoss ? [] : restrictionsLost(made.remarks);
  if (lost.length > 0) {
    const fields = [...new Set(lost.map(({ field }) => field))].join(", ");
    const message = `${format.label} cannot keep what restricts it (${fields}); --allow-loss writes it all the same`;
    return { ...row, ...made, file, text: "", result: "refused", message };
  }
  const earlier = folder === null ? undefined : taken.get(made.file);
  if (earlier !== undefined) {
    const message = `${made.file} holds ${earlier} already: give each its own --out`;
    return { ...row, ...made, file, result: "refused", message };
  }
  taken.set(made.file, definition.name);
  const put = folder === null ? SHOWN : putFile(folder, made.file, made.text, wish);
  return { ...row, ...made, file, ...put };
}

/** Originals of one name may come from several folders; then each is called after its agent. */
function fileFor({ name }: AgentDefinition, made: MadeFile, taken: ReadonlyMap<string, string>): string {
  const { file, isOriginal } = made;
  return isOriginal && taken.has(file) ? `${name}${file.slice(file.indexOf("."))}` : file;
}

type MadeFile = Pick<ExportedAgent, "file" | "isOriginal">;

const SHOWN = { result: "shown", message: null } as const;

/** The file that it was imported from, or discovered in. */
async function originalOf({ source }: AgentDefinition, roots: Roots): Promise<FoundText | undefined> {
  if (source === undefined) return undefined;
  const found = await textOf(absolutePath(source.file, roots));
  return "text" in found ? found : undefined;
}
