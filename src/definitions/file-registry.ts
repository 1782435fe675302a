// Agents from folders of files, the folders in order of rank.
import { realpath } from "node:fs/promises";
import type { Registry, RegistryListing, Trust } from "../ports/index.ts";
import { cachingReader } from "./agent-file.ts";
import { type AgentFolder, readAgentFolder } from "./agent-folder.ts";
import { isInside } from "./inside.ts";
import { findTrusted, type Offer, settleNames } from "./settle-names.ts";

export interface Layer {
  readonly folder: string;
  /** What a person calls it: `project`, `user`. */
  readonly label: string;
  /** The folder whose trust decides; null where there is nothing to decide. */
  readonly trustRoot: string | null;
}

export interface FileRegistryOptions {
  /** The first outranks the others. */
  readonly layers: readonly Layer[];
  readonly trust: Trust;
}

interface ReadLayer extends AgentFolder {
  readonly label: string;
  readonly trusted: boolean;
}

export function fileRegistry({ layers, trust }: FileRegistryOptions): Registry {
  const read = cachingReader();
  const readLayer = async ({ folder, label, trustRoot }: Layer): Promise<ReadLayer> => {
    const content = await readAgentFolder(folder, read);
    return { ...content, label, trusted: trustRoot === null || (await isCovered(content.real, trustRoot, trust)) };
  };
  const list = async (): Promise<RegistryListing> => {
    const found = withoutRepeats(await Promise.all(layers.map(readLayer)));
    const { agents, problems } = settleNames(found.flatMap(offersOf));
    const unread = found.flatMap((layer) => [...layer.problems, ...layer.files.flatMap((file) => file.problems)]);
    return { agents, problems: [...unread, ...problems] };
  };
  return { list, find: async (name) => findTrusted((await list()).agents, name) };
}

/** A folder that a link has moved out of what is trusted must be trusted itself. */
async function isCovered(folder: string, root: string, trust: Trust): Promise<boolean> {
  if (!(await trust.isTrusted(root))) return false;
  const realRoot = await realpath(root).catch(() => null);
  return (realRoot !== null && isInside(folder, realRoot)) || trust.isTrusted(folder);
}

/** Two layers may be one folder: outside of any project, the nearest home is the user's own. */
function withoutRepeats(layers: readonly ReadLayer[]): ReadLayer[] {
  const firsts = new Map<string, ReadLayer>();
  for (const layer of layers) {
    const first = firsts.get(layer.real);
    if (first === undefined || (layer.trusted && !first.trusted)) firsts.set(layer.real, layer);
  }
  return [...firsts.values()];
}

const offersOf = ({ files, label, trusted }: ReadLayer): Offer[] =>
  files.flatMap(({ path, definition }) =>
    definition === null ? [] : [{ agent: { definition, source: path, trusted }, where: `${path} (${label})` }],
  );
