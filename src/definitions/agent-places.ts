// Where agents are looked for, the first place first.
import { basename, dirname, join } from "node:path";
import type { Layer } from "./file-registry.ts";
import { foreignReader, type ReadTogether, togetherReader } from "./foreign-reader.ts";
import { type Format, type FormatId, type FormatPlace, FORMATS } from "./formats/format.ts";

/** Other programs' formats: where each keeps its agents is known; its reader is loaded when it is needed. */
export interface ForeignFormats {
  readonly places: Readonly<Partial<Record<FormatId, readonly FormatPlace[]>>>;
  readonly load: (id: FormatId) => Promise<Format>;
  /** Programs whose files complete each other, and how they are read. */
  readonly together?: Readonly<Partial<Record<FormatId, ReadTogether>>> | undefined;
}

export interface AgentRoots {
  /** Cadre's home that this process works with. */
  readonly home: string;
  readonly project: string;
  readonly userHome: string;
}

/** Our own, the project's before the user's; then program by program, each one's project places before its user's. */
export function agentLayers(roots: AgentRoots, formats: ForeignFormats): Layer[] {
  const user: Layer = { folder: join(roots.userHome, ".cadre", "agents"), label: "user", trustRoot: null };
  const project: Layer = { folder: join(roots.home, "agents"), label: "project", trustRoot: roots.project };
  const own = project.folder === user.folder ? [user] : [project, user];
  return [...own, ...FORMATS.flatMap((id) => foreignLayers(id, roots, formats))];
}

function foreignLayers(id: FormatId, roots: AgentRoots, { places, load, together = {} }: ForeignFormats): Layer[] {
  const readAll = together[id];
  const reader = readAll === undefined ? foreignReader(id, load) : togetherReader(id, readAll);
  const of = (whose: FormatPlace["of"]) => (places[id] ?? []).filter((place) => place.of === whose);
  return [...of("project"), ...of("user")].map((place) => ({
    ...wishOf(join(place.of === "project" ? roots.project : roots.userHome, place.path), place),
    label: `${id}, ${place.of}`,
    trustRoot: place.of === "project" ? roots.project : null,
    reader,
  }));
}

const wishOf = (path: string, { isFile = false, isRecursive, endings }: FormatPlace) =>
  isFile ? { folder: dirname(path), only: basename(path) } : { folder: path, isRecursive, endings };
