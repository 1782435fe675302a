// Where bubblewrap does not work: files by Landlock. The network only where nothing of it is needed and a namespace can
// be made; and only where confinement is required, because a program that nobody lets out can do less than before.
import { join } from "node:path";
import { admissionRefused } from "../../errors/index.ts";
import type { ConfinementLabel } from "../../schema/index.ts";
import type { ConfinementSetting, Otherwise, Tier } from "../tier.ts";
import { LandlockAttempt } from "./landlock-attempt.ts";
import { type LandlockMachine, type LandlockMachineParts, thisLandlock } from "./landlock-machine.ts";

export interface LandlockConfinementOptions {
  readonly setting: ConfinementSetting;
  readonly home: string;
  readonly homes: readonly string[];
  readonly programs: readonly string[];
  /** Why there is nothing better. */
  readonly why: string;
  readonly otherwise: Otherwise;
}

export function landlockConfinement(
  { setting, home, homes, programs, why, otherwise }: LandlockConfinementOptions,
  machine: LandlockMachine = thisLandlock,
): Tier {
  const place = { homes: [home, ...homes], quarantine: (task: string) => join(home, "quarantine", task), programs };
  const closesNetwork = setting === "required";
  return {
    async look(asker) {
      const found = await machine.find(asker);
      if (found.kind === "missing") return otherwise(`${why}; ${found.why}`).look(asker);
      return labelOf(found.parts, closesNetwork && found.parts.tools.namespaces !== undefined, why);
    },
    async prepare(wish) {
      const found = await machine.find(wish);
      if (found.kind === "missing") return otherwise(`${why}; ${found.why}`).prepare(wish);
      const { parts } = found;
      const problem = closesNetwork ? whyNotClosed(parts, wish.policy.network) : undefined;
      if (problem !== undefined)
        throw admissionRefused(
          "confinement",
          `the settings require that programs are held, and ${problem} (${why})`,
          "Install bubblewrap: cadre doctor",
        );
      const label = labelOf(parts, closesNetwork, why);
      return new LandlockAttempt({ ...parts, ...place, closesNetwork, sharesScratch: !closesNetwork }, wish, label);
    },
  };
}

function whyNotClosed({ tools }: LandlockMachineParts, network: boolean | readonly string[]): string | undefined {
  if (tools.namespaces === undefined) return "nothing here holds their network: Landlock holds files only";
  return network === false ? undefined : "nothing here holds them to the hosts that the policy names";
}

function labelOf({ tools, cgroups }: LandlockMachineParts, isClosed: boolean, why: string): ConfinementLabel {
  const notes = [
    why,
    isClosed
      ? "files are held by Landlock, and programs have no network: an agent that needs one is refused; of sockets with a path, only those in /run and /tmp are out of reach; system calls are not filtered"
      : "files are held by Landlock; the network and sockets with a path are not, and /tmp is everybody's",
    ...(tools.namespaces === undefined
      ? ["nor are protected files, and Cadre's own state, in a workspace that may be written"]
      : []),
    ...(tools.uid === 0 && cgroups === undefined ? ["the number of processes is not bounded: the worker is root"] : []),
  ];
  return {
    commands: isClosed ? "os" : "files",
    fileTools: "policy",
    limits: cgroups === undefined ? "rlimit" : "cgroup",
    note: notes.join("; "),
  };
}
