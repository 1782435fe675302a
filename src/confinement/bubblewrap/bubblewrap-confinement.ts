// Confinement by bubblewrap, as good as this machine has it; what that comes to is in the label of every attempt.
import { join } from "node:path";
import type { Confined, ConfinementWish } from "../../ports/index.ts";
import type { ConfinementLabel } from "../../schema/index.ts";
import { nothingConfines } from "../none/nothing-confines.ts";
import type { ConfinementSetting, Otherwise, Tier } from "../tier.ts";
import { ConfinedAttempt, type SandboxParts } from "./confined-attempt.ts";
import { type SandboxMachine, thisMachine } from "./sandbox-machine.ts";

export interface ConfinementOptions {
  readonly setting: ConfinementSetting;
  readonly home: string;
  /** Other folders of Cadre's own state: the user's. */
  readonly homes: readonly string[];
  readonly programs: readonly string[];
  readonly privateHosts: readonly string[];
  /** Where bubblewrap does not work here. Without it, nothing confines. */
  readonly otherwise?: Otherwise | undefined;
}

export function bubblewrapConfinement(
  { setting, home, homes, programs, privateHosts, otherwise = nothingConfines(setting) }: ConfinementOptions,
  machine: SandboxMachine = thisMachine,
): Tier {
  const place = {
    homes: [home, ...homes],
    quarantine: (task: string) => join(home, "quarantine", task),
    programs,
    privateHosts,
  };
  return {
    async look(asker) {
      const found = await machine.find(asker);
      return found.kind === "parts" ? found.label : otherwise(found.why).look(asker);
    },
    async prepare(wish) {
      const found = await machine.find(wish);
      if (found.kind === "parts") return confined({ ...place, ...found.parts }, wish, found.label);
      return otherwise(found.why).prepare(wish);
    },
  };
}

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
