import type { AgentDefinition } from "../schema/index.ts";

export interface RegisteredAgent {
  readonly definition: AgentDefinition;
  /** Where it came from, for people: a path, `built in`, `code`. */
  readonly source: string;
  /** False: from a folder that nobody has trusted. It is listed, and takes no part in finding names. */
  readonly trusted: boolean;
}

export interface RegistryProblem {
  readonly source: string;
  readonly message: string;
}

export interface RegistryListing {
  readonly agents: readonly RegisteredAgent[];
  /** Files that could not be read, and agents that another one of the same name hides. */
  readonly problems: readonly RegistryProblem[];
}

/**
 * The agents that there are.
 *
 * - One file that cannot be read MUST NOT hide the others: it is a problem in the listing.
 * - Listing MUST NOT run anything of the project.
 * - `find` MUST NOT return an untrusted agent as if it were trusted.
 */
export interface Registry {
  list(): Promise<RegistryListing>;
  /** By name, without regard to case, `_` = `-`. */
  find(name: string): Promise<RegisteredAgent | undefined>;
}
