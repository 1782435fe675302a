import type { AgentDefinition } from "../schema/index.ts";
import type { Pin } from "../schema/pin.ts";

export interface RegisteredAgent {
  readonly definition: AgentDefinition;
  /** Where it came from, for people: a path, `built in`, `code`. */
  readonly source: string;
  /** False: from a folder that nobody has trusted. It is listed, and takes no part in finding names. */
  readonly trusted: boolean;
  /** Of a project's: the folder that it belongs to, and what letting it pass as it is would pin. */
  readonly pin?: Pin | undefined;
  readonly project?: string | undefined;
  /**
   * What a person has yet to see of it, in words: programs, rights. Its folder is trusted, and it is not because of
   * this. It keeps its name from others, so that none is run in its place.
   */
  readonly unseen?: readonly string[] | undefined;
  /** What its reader had to say: what was narrowed or repaired in another program's file. */
  readonly notes?: readonly string[] | undefined;
  /** What looks like a mistake in its file, for whoever checks it: a key that its program does not know. */
  readonly warnings?: readonly string[] | undefined;
}

export interface RegistryProblem {
  readonly source: string;
  readonly message: string;
}

export interface RegistryListing {
  readonly agents: readonly RegisteredAgent[];
  /** Files that could not be read, and agents that another one of the same name hides or that the settings disable. */
  readonly problems: readonly RegistryProblem[];
}

/**
 * The agents that there are.
 *
 * - One file that cannot be read MUST NOT hide the others: it is a problem in the listing.
 * - Listing MUST NOT run anything of the project.
 * - `find` MUST NOT return an untrusted agent as if it were trusted. Where something of it is unseen, it MUST throw
 *   `agent.untrusted` and say what: to run another agent of that name instead would be a surprise.
 * - An agent that the settings disable MUST NOT be among the listed, nor be found: `find` MUST throw `agent.disabled`.
 */
export interface Registry {
  list(): Promise<RegistryListing>;
  /** By name, without regard to case, `_` = `-`. */
  find(name: string): Promise<RegisteredAgent | undefined>;
  /**
   * Calls back once it listens, for the caller has looked before that, and when the listing is another one; until the
   * signal. Absent where it cannot change.
   */
  watch?(onChange: () => void, signal: AbortSignal): Promise<void>;
}
