import type { Confinement } from "../ports/index.ts";
import type { ConfinementLabel } from "../schema/index.ts";
import type { ProbePlace } from "./bubblewrap/probe.ts";

/** One way to confine, as good as this machine has it. */
export interface Tier extends Confinement {
  /** What it comes to on this machine. */
  look(place: ProbePlace): Promise<ConfinementLabel>;
}

/** `best`: where nothing confines here, programs run and the label says so. `required`: they do not run. */
export type ConfinementSetting = "best" | "required";

/** What to do where a tier does not work here, and why it does not. */
export type Otherwise = (why: string) => Tier;
