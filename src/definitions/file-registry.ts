// Agents from folders of files, the folders in order of rank.
import { yielding } from "../platform/yielding.ts";
import type { Clock, RegisteredAgent, Registry, RegistryListing, RegistryProblem, Trust } from "../ports/index.ts";
import { cachingReader, type FileReader, type TextReader } from "./agent-file.ts";
import { type AgentFolder, type FolderWish, readAgentFolder } from "./agent-folder.ts";
import type { AgentOverride } from "./agent-overrides.ts";
import { type FolderTrust, folderTrust } from "./folder-trust.ts";
import { textJoiner } from "./join-texts.ts";
import { ownReader } from "./own-reader.ts";
import { findTrusted, type Offer, settleNames } from "./settle-names.ts";
import { vetting } from "./vet-agent.ts";
import { watchListing } from "./watch-listing.ts";

export interface Layer extends FolderWish {
  /** What a person calls it: `project`, `user`, `Claude Code, user`. */
  readonly label: string;
  /** The folder whose trust decides; null where there is nothing to decide. */
  readonly trustRoot: string | null;
  /** Who reads its files: our own format, if nobody is named. */
  readonly reader?: TextReader | undefined;
}

export interface FileRegistryOptions {
  /** The first outranks the others. */
  readonly layers: readonly Layer[];
  readonly trust: Trust;
  /** Where it is to be watched. */
  readonly clock?: Clock | undefined;
  readonly overrides?: readonly AgentOverride[] | undefined;
}

interface ReadLayer extends AgentFolder {
  readonly layer: Layer;
  readonly trusted: boolean;
}

export function fileRegistry({ layers, trust, clock, overrides = [] }: FileRegistryOptions): Registry {
  const read = cachingReader();
  const vet = vetting(overrides);
  const joinTexts = textJoiner();
  const settle = async (layersFound: readonly ReadLayer[], word: FolderTrust): Promise<RegistryListing> => {
    const offers: Offer[] = [];
    const problems: RegistryProblem[] = [];
    for (const { layer, trusted, files, ...folder } of await joinTexts(withoutRepeats(layersFound))) {
      const project = layer.trustRoot;
      const pins = project === null ? null : await word.pinsOf(project);
      problems.push(...folder.problems, ...files.flatMap((file) => file.problems));
      for (const { path, agents } of files) {
        const vetted = agents.map((agent) => vet(agent, { source: path, trusted, project, pins }));
        offers.push(...vetted.map(({ agent }) => ({ agent, where: `${path} (${layer.label})` })));
        problems.push(...vetted.flatMap((one) => one.problems));
      }
    }
    const settled = settleNames(offers);
    return { agents: settled.agents, problems: [...problems, ...settled.problems] };
  };
  const list = async (): Promise<RegistryListing> => {
    const word = folderTrust(trust);
    return settle(await Array.fromAsync(readLayers(layers, read, word)), word);
  };
  /** The first that has the name has it for good, so those of lower rank need not be looked at. */
  const find = async (name: string): Promise<RegisteredAgent | undefined> => {
    const word = folderTrust(trust);
    const found: ReadLayer[] = [];
    let isInOrder = true;
    for await (const one of readLayers(layers, read, word)) {
      found.push(one);
      // A later layer may be the same folder, and trusted; or complete what stands in this one.
      isInOrder &&= one.trusted && one.layer.reader?.together === undefined;
      const agent = isInOrder ? findTrusted((await settle([one], word)).agents, name) : undefined;
      if (agent !== undefined) return agent;
    }
    return isInOrder ? undefined : findTrusted((await settle(found, word)).agents, name);
  };
  return {
    list,
    find,
    ...(clock === undefined
      ? {}
      : { watch: (onChange, signal) => watchListing({ list, layers, clock }, onChange, signal) }),
  };
}

/** Those that hold something, one by one: whoever has seen enough leaves the others unread. */
async function* readLayers(
  layers: readonly Layer[],
  read: FileReader,
  word: FolderTrust,
): AsyncGenerator<ReadLayer, void> {
  const pause = yielding();
  for (const layer of layers) {
    const content = await readAgentFolder(layer, read, layer.reader ?? ownReader, pause);
    if (content.files.length === 0 && content.problems.length === 0) continue;
    const { trustRoot } = layer;
    yield { ...content, layer, trusted: trustRoot === null || (await word.covers(content.real, trustRoot)) };
  }
}

/** Two layers may be one folder: outside of any project, the nearest home is the user's own. */
function withoutRepeats(layers: readonly ReadLayer[]): ReadLayer[] {
  const firsts = new Map<string, ReadLayer>();
  for (const one of layers) {
    const { only, endings } = one.layer;
    const key = JSON.stringify([one.real, only, endings]);
    const first = firsts.get(key);
    if (first === undefined || (one.trusted && !first.trusted)) firsts.set(key, one);
  }
  return [...firsts.values()];
}
