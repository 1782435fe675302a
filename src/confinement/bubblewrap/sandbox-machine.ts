import type { ConfinementLabel } from "../../schema/index.ts";
import { findLauncher, type LandlockLauncher } from "../landlock/find-launcher.ts";
import { BROKEN_OFF, ProbedOnce } from "../probed-once.ts";
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
  /** `null`: none. */
  readonly landlock?: LandlockLauncher | null | undefined;
}

/** What this machine can do, found out once, by whoever needs it first. */
export class SandboxMachine extends ProbedOnce<FoundMachine> {
  constructor(options: MachineOptions = {}) {
    super((place) => examine(options, place), { kind: "missing", why: BROKEN_OFF });
  }
}

/** Of this process. */
export const thisMachine = new SandboxMachine();

async function examine(options: MachineOptions, place: ProbePlace): Promise<FoundMachine | "broken-off"> {
  const { limits = PROGRAM_LIMITS, tools = findTools() } = options;
  if (typeof tools === "string") return { kind: "missing", why: tools };
  const parts: MachineParts = { tools, limits, cgroups: findCgroups(limits), landlock: await secondLayer(options) };
  const probed = await probe(parts, place);
  if (probed.kind === "broken-off") return "broken-off";
  if (probed.kind === "holds") return { kind: "parts", parts, label: labelOf(parts) };
  // It may be the second layer that is not let in here: the first one counts.
  return parts.landlock === undefined
    ? { kind: "missing", why: probed.why }
    : examine({ ...options, tools, landlock: null }, place);
}

/** Only where it has nothing to say: what a program writes to its standard error is the program's own. */
async function secondLayer({ landlock }: MachineOptions): Promise<LandlockLauncher | undefined> {
  const launcher = landlock === undefined ? await findLauncher() : landlock;
  return launcher !== null && typeof launcher !== "string" && launcher.isWhole ? launcher : undefined;
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
