import type { ConfinementLabel } from "../../schema/index.ts";
import { findCgroups } from "./cgroups.ts";
import { PROGRAM_LIMITS, type ProgramLimits } from "./limits.ts";
import type { MachineParts } from "./machine-parts.ts";
import { probe, type ProbePlace } from "./probe.ts";
import { findTools, type SandboxTools } from "./tools.ts";

export type FoundMachine =
  | { readonly kind: "parts"; readonly parts: MachineParts; readonly label: ConfinementLabel }
  | { readonly kind: "missing"; readonly why: string };

export interface MachineOptions {
  readonly limits?: ProgramLimits | undefined;
  /** What is found otherwise. A string says what is missing. */
  readonly tools?: SandboxTools | string | undefined;
}

/** What this machine can do, found out once, by whoever needs it first. */
export class SandboxMachine {
  readonly #options: MachineOptions;
  #known: Promise<FoundMachine | "broken-off"> | undefined;

  constructor(options: MachineOptions = {}) {
    this.#options = options;
  }

  async find(place: ProbePlace): Promise<FoundMachine> {
    for (;;) {
      const isOwn = this.#known === undefined;
      const asked = (this.#known ??= examine(this.#options, place));
      const found = await asked;
      if (found !== "broken-off") return found;
      // Whoever asked was ended meanwhile. Whoever waited for the answer asks again.
      if (this.#known === asked) this.#known = undefined;
      if (isOwn) return { kind: "missing", why: "the look at what confines here was broken off" };
    }
  }
}

/** Of this process. */
export const thisMachine = new SandboxMachine();

async function examine(options: MachineOptions, place: ProbePlace): Promise<FoundMachine | "broken-off"> {
  const { limits = PROGRAM_LIMITS, tools = findTools() } = options;
  if (typeof tools === "string") return { kind: "missing", why: tools };
  const parts: MachineParts = { tools, limits, cgroups: findCgroups(limits) };
  const probed = await probe(parts, place);
  if (probed.kind === "broken-off") return "broken-off";
  if (probed.kind === "fails") return { kind: "missing", why: probed.why };
  return { kind: "parts", parts, label: labelOf(parts) };
}

function labelOf({ tools, cgroups }: MachineParts): ConfinementLabel {
  const notes = [
    ...(tools.machine === undefined ? ["system calls are not filtered on this machine"] : []),
    ...(tools.isRoot && cgroups === undefined ? ["the number of processes is not bounded: the worker is root"] : []),
  ];
  return {
    commands: "os",
    fileTools: "policy",
    limits: cgroups === undefined ? "rlimit" : "cgroup",
    ...(notes.length === 0 ? {} : { note: notes.join("; ") }),
  };
}
