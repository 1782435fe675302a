// Agents that come with Cadre: files of the package, in our own format.
import { existsSync, readdirSync } from "node:fs";
import { join, parse } from "node:path";
import { agentKey } from "../domain/agent-names.ts";
import { packageRoot } from "../platform/package-root.ts";
import type { RegisteredAgent, Registry, RegistryListing } from "../ports/index.ts";
import { cachingReader } from "./agent-file.ts";
import { readAgentFolder } from "./agent-folder.ts";
import type { AgentOverride } from "./agent-overrides.ts";
import { ownReader } from "./own-reader.ts";
import { vetting } from "./vet-agent.ts";

/** Other names that people know them by. */
const ALIASES: ReadonlyMap<string, string> = new Map([["cli-help", "help"]]);

/** As they are in the sources, and where the build puts them. */
const FOLDERS = [join("src", "definitions", "built-in"), join("dist", "built-in")];

const builtInFolder = (): string => {
  const folders = FOLDERS.map((folder) => join(packageRoot(), folder));
  return folders.find((folder) => existsSync(folder)) ?? join(packageRoot(), "dist", "built-in");
};

export interface BuiltInOptions {
  readonly folder?: string | undefined;
  readonly overrides?: readonly AgentOverride[] | undefined;
}

export function builtInRegistry({ folder = builtInFolder(), overrides = [] }: BuiltInOptions = {}): Registry {
  const read = cachingReader();
  const vet = vetting(overrides);
  const readAgents = async (only?: string): Promise<RegistryListing> => {
    const { files, problems } = await readAgentFolder({ folder, only }, read, ownReader, () => undefined);
    const vetted = files.flatMap((file) =>
      file.agents.map((agent) => vet(agent, { source: "built in", trusted: true, project: null, pins: null })),
    );
    return {
      agents: vetted.map(({ agent }) => agent),
      problems: [...problems, ...files.flatMap((file) => file.problems), ...vetted.flatMap((one) => one.problems)],
    };
  };
  let known: RegistryListing | undefined;
  return {
    /** Read once, where all could be: what comes with this program changes with it. */
    async list(): Promise<RegistryListing> {
      const listing = known ?? (await readAgents());
      if (listing.problems.length === 0) known = listing;
      return listing;
    },
    /** Each file has the name of its agent: one is read, not all. */
    async find(name): Promise<RegisteredAgent | undefined> {
      const key = ALIASES.get(agentKey(name)) ?? agentKey(name);
      const files = existsSync(folder) ? readdirSync(folder) : [];
      const file = files.find((one) => agentKey(parse(one).name) === key);
      return file === undefined ? undefined : (await readAgents(file)).agents[0];
    },
  };
}
