// Confinement by bubblewrap, as good as this machine has it; what that comes to is in the label of every attempt.
import { join } from "node:path";
import { admissionRefused } from "../../errors/index.ts";
import type { Confined, Confinement, ConfinementWish } from "../../ports/index.ts";
import type { ConfinementLabel } from "../../schema/index.ts";
import { noConfinement } from "../none/no-confinement.ts";
import { ConfinedAttempt, type SandboxParts } from "./confined-attempt.ts";
import type { ProbePlace } from "./probe.ts";
import { type SandboxMachine, thisMachine } from "./sandbox-machine.ts";

export interface ConfinementOptions {
  /** `best`: where nothing confines here, programs run and the label says so. `required`: they do not run. */
  readonly setting: "best" | "required";
  readonly home: string;
  /** Other folders of Cadre's own state: the user's. */
  readonly homes: readonly string[];
  readonly programs: readonly string[];
  readonly privateHosts: readonly string[];
}

export interface BubblewrapConfinement extends Confinement {
  /** What it comes to on this machine. */
  look(place: ProbePlace): Promise<ConfinementLabel>;
}

export function bubblewrapConfinement(
  { setting, home, homes, programs, privateHosts }: ConfinementOptions,
  machine: SandboxMachine = thisMachine,
): BubblewrapConfinement {
  const place = {
    homes: [home, ...homes],
    quarantine: (task: string) => join(home, "quarantine", task),
    programs,
    privateHosts,
  };
  return {
    async look(asker) {
      const found = await machine.find(asker);
      return found.kind === "parts" ? found.label : weakLabel(found.why);
    },
    async prepare(wish) {
      const found = await machine.find(wish);
      if (found.kind === "parts") return confined({ ...place, ...found.parts }, wish, found.label);
      if (setting === "best") return { ...(await noConfinement.prepare(wish)), label: weakLabel(found.why) };
      throw admissionRefused(
        "confinement",
        `nothing confines programs here, and the settings require it: ${found.why}`,
        "See what is missing: cadre doctor",
      );
    },
  };
}

const weakLabel = (note: string): ConfinementLabel => ({ commands: "policy", fileTools: "policy", note });

async function confined(parts: SandboxParts, wish: ConfinementWish, label: ConfinementLabel): Promise<Confined> {
  const attempt = new ConfinedAttempt(parts, wish, label);
  try {
    if (wish.policy.network !== false) await attempt.openNetwork();
    return attempt;
  } catch (error) {
    await attempt.release();
    throw error;
  }
}
