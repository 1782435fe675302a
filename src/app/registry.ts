// Which agents there are for a process, and what it trusts.
import { join } from "node:path";
import type * as z from "zod";
import {
  type AgentOverride,
  agentLayers,
  builtInRegistry,
  fileRegistry,
  type ForeignFormats,
  joinRegistries,
  memoryRegistry,
  trustFile,
  withoutDisabled,
} from "../definitions/index.ts";
import { loadFormat, PLACES } from "../definitions/formats/index.ts";
import type { Registry, Trust } from "../ports/index.ts";
import type { AgentDefinition } from "../schema/index.ts";
import { checkedDefinition } from "./checked-definition.ts";
import type { Home } from "./find-home.ts";
import { clock } from "./system.ts";

export interface RegistryPlace extends Home {
  readonly userHome: string;
}

/** The user's own list; and folders that whoever runs this process answers for, with all that is in them. */
export function trustFor({ userHome }: RegistryPlace, trusted: readonly string[]): Trust {
  const lasting = trustFile(join(userHome, ".cadre", "trust.json"), clock);
  return {
    ...lasting,
    isTrusted: async (folder) => trusted.includes(folder) || lasting.isTrusted(folder),
    pinsOf: async (folder) => (trusted.includes(folder) ? null : lasting.pinsOf(folder)),
  };
}

export interface RegistryWishes {
  readonly place: RegistryPlace;
  readonly trust: Trust;
  /** From code: before all others. */
  readonly agents: readonly z.input<typeof AgentDefinition>[];
  readonly overrides: readonly AgentOverride[];
}

export const registryFor = (wishes: RegistryWishes): Registry => withoutDisabled(joined(wishes), wishes.overrides);

const joined = ({ place, trust, agents, overrides }: RegistryWishes): Registry =>
  joinRegistries(
    memoryRegistry(agents.map((agent) => checkedDefinition(agent))),
    fileRegistry({ trust, clock, overrides, layers: agentLayers(place, FOREIGN) }),
    builtInRegistry({ overrides }),
  );

const FOREIGN: ForeignFormats = {
  places: PLACES,
  load: loadFormat,
  together: { yeet: async (files) => (await import("../definitions/formats/yeet.ts")).readYeetFiles(files) },
};
