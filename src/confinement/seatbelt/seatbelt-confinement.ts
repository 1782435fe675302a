// Confinement on macOS. Written from what is known of its sandbox, and run on no Mac yet: the label says so.
import { join } from "node:path";
import type { ConfinementLabel } from "../../schema/index.ts";
import type { Otherwise, Tier } from "../tier.ts";
import { SeatbeltAttempt } from "./seatbelt-attempt.ts";
import { type SeatbeltMachine, thisSeatbelt } from "./seatbelt-machine.ts";

export interface SeatbeltConfinementOptions {
  readonly home: string;
  readonly homes: readonly string[];
  readonly programs: readonly string[];
  readonly privateHosts: readonly string[];
  readonly otherwise: Otherwise;
}

const UNTRIED =
  "untested: this sandbox has not been run on a Mac yet, and only a short trial at its start says that it holds";

const LABEL: ConfinementLabel = {
  commands: "os",
  fileTools: "policy",
  limits: "rlimit",
  note: `${UNTRIED}; the number of processes is not bounded`,
};

export function seatbeltConfinement(
  { home, homes, programs, privateHosts, otherwise }: SeatbeltConfinementOptions,
  machine: SeatbeltMachine = thisSeatbelt,
): Tier {
  const quarantine = (task: string) => join(home, "quarantine", task);
  const place = { homes: [home, ...homes], quarantine, programs, privateHosts };
  return {
    async look(asker) {
      const found = await machine.find(asker);
      return found.kind === "parts" ? LABEL : otherwise(found.why).look(asker);
    },
    async prepare(wish) {
      const found = await machine.find(wish);
      if (found.kind === "missing") return otherwise(found.why).prepare(wish);
      const attempt = new SeatbeltAttempt({ ...found.parts, ...place }, wish, LABEL);
      try {
        if (wish.policy.network !== false) await attempt.openNetwork();
        return attempt;
      } catch (error) {
        await attempt.release();
        throw error;
      }
    },
  };
}
