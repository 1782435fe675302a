import { beyondPin, pinOf } from "../domain/rights.ts";
import { sha256 } from "../platform/system-mint.ts";
import type { Pin, RegisteredAgent, RegistryProblem } from "../ports/index.ts";
import type { AgentDefinition } from "../schema/index.ts";
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
  const pinFor = remembered((one) => pinOf(one, sha256));
  const judge = remembered(() => new Map<Pin | undefined, readonly string[]>());
  /** Pins are the same objects for as long as the list of trust is the same, and definitions as their files are. */
  const unseenBy = (pin: Pin | undefined, one: AgentDefinition): readonly string[] => {
    const known = judge(one);
    const unseen = known.get(pin) ?? beyondPin(one, pin, sha256);
    if (!known.has(pin)) known.clear();
    known.set(pin, unseen);
    return unseen;
  };
  return ({ definition, notes, warnings = [] }, { source, trusted, project, pins }) => {
    // A project may do with its own agents as it likes: what comes of it is what has to be seen.
    const written = byProject(definition, project === null ? "tighten" : "widen");
    const used = byUser(written.definition, "widen");
    const pin = pinFor(written.definition);
    // What an agent has written nobody answers for: not even where all that lies in a folder is somebody's own.
    const known = pins ?? (written.definition.proposed === undefined ? null : NOBODY_HAS_SEEN);
    const unseen = known === null || !trusted ? [] : unseenBy(known.get(pin.subject), written.definition);
    const agent: RegisteredAgent = {
      definition: used.definition,
      source,
      trusted: trusted && unseen.length === 0,
      ...(project === null ? {} : { project, pin }),
      ...(unseen.length === 0 ? {} : { unseen }),
      ...(notes.length === 0 ? {} : { notes }),
      ...(warnings.length === 0 ? {} : { warnings }),
    };
    return { agent, problems: [...written.problems, ...used.problems] };
  };
}

const NOBODY_HAS_SEEN: ReadonlyMap<string, Pin> = new Map();

function remembered<T extends object>(make: (definition: AgentDefinition) => T): (definition: AgentDefinition) => T {
  const made = new WeakMap<AgentDefinition, T>();
  return (definition) => {
    const one = made.get(definition) ?? make(definition);
    made.set(definition, one);
    return one;
  };
}
