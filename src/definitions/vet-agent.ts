import { beyondPin, pinOf } from "../domain/rights.ts";
import { sha256 } from "../platform/system-mint.ts";
import type { Pin, RegisteredAgent, RegistryProblem } from "../ports/index.ts";
import type { ReadAgent } from "./agent-file.ts";
import { type AgentOverride, overriding } from "./agent-overrides.ts";

export interface Origin {
  readonly source: string;
  /** Of its folder. */
  readonly trusted: boolean;
  /** The project that it belongs to; null: it is the user's own, or Cadre's. */
  readonly project: string | null;
  /** What the user has seen of that project. Null: nothing has to be pinned. */
  readonly pins: ReadonlyMap<string, Pin> | null;
}

export interface Vetted {
  readonly agent: RegisteredAgent;
  readonly problems: readonly RegistryProblem[];
}

/** From what a file says to an agent that may run, or may not yet. */
export function vetting(overrides: readonly AgentOverride[]): (read: ReadAgent, origin: Origin) => Vetted {
  const byProject = overriding(overrides.filter(({ by }) => by === "project"));
  const byUser = overriding(overrides.filter(({ by }) => by === "user"));
  return ({ definition, notes }, { source, trusted, project, pins }) => {
    // A project may do with its own agents as it likes: what comes of it is what has to be seen.
    const written = byProject(definition, project === null ? "tighten" : "widen");
    const used = byUser(written.definition, "widen");
    const pin = pinOf(written.definition, sha256);
    const unseen = pins === null || !trusted ? [] : beyondPin(written.definition, pins.get(pin.subject), sha256);
    const agent: RegisteredAgent = {
      definition: used.definition,
      source,
      trusted: trusted && unseen.length === 0,
      ...(project === null ? {} : { project, pin }),
      ...(unseen.length === 0 ? {} : { unseen }),
      ...(notes.length === 0 ? {} : { notes }),
    };
    return { agent, problems: [...written.problems, ...used.problems] };
  };
}
