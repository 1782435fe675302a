// What Landlock comes to on this machine: tried with the real thing, first with namespaces and then without.
import { type CgroupPlace, findCgroups } from "../bubblewrap/cgroups.ts";
import { PROGRAM_LIMITS, type ProgramLimits } from "../bubblewrap/limits.ts";
import { HELD, type ProbePlace, type Probed, tryOut } from "../bubblewrap/probe.ts";
import { BROKEN_OFF, ProbedOnce } from "../probed-once.ts";
import { LandlockAttempt } from "./landlock-attempt.ts";
import { findLandlockTools, type LandlockTools } from "./landlock-tools.ts";

export interface LandlockMachineParts {
  readonly tools: LandlockTools;
  readonly limits: ProgramLimits;
  readonly cgroups: CgroupPlace | undefined;
}

export type FoundLandlock =
  | { readonly kind: "parts"; readonly parts: LandlockMachineParts }
  | { readonly kind: "missing"; readonly why: string };

export interface LandlockOptions {
  readonly limits?: ProgramLimits | undefined;
  /** What is found otherwise. A string says what is missing. */
  readonly tools?: LandlockTools | string | undefined;
}

export class LandlockMachine extends ProbedOnce<FoundLandlock> {
  constructor(options: LandlockOptions = {}) {
    super((place) => examine(options, place), { kind: "missing", why: BROKEN_OFF });
  }
}

/** Of this process. */
export const thisLandlock = new LandlockMachine();

async function examine(options: LandlockOptions, place: ProbePlace): Promise<FoundLandlock | "broken-off"> {
  const { limits = PROGRAM_LIMITS, tools = await findLandlockTools() } = options;
  if (typeof tools === "string") return { kind: "missing", why: tools };
  const parts = { tools, limits, cgroups: findCgroups(limits) };
  const probed = await probe(parts, place);
  if (probed.kind === "broken-off") return "broken-off";
  if (probed.kind === "holds") return { kind: "parts", parts };
  return tools.namespaces === undefined
    ? { kind: "missing", why: probed.why }
    : examine({ limits, tools: { ...tools, namespaces: undefined } }, place);
}

/** Says so only where it reads what it may, writes nothing, has no rights of root and, where that is closed, no network. */
const script = (closesNetwork: boolean): string =>
  [
    `[ -r seen ] && : <seen || { echo 'the workspace is not there'; exit 1; }`,
    `! (: <"$1") 2>/dev/null || { echo 'files outside can be read'; exit 1; }`,
    `! (: >seen) 2>/dev/null || { echo 'what may only be read can be written'; exit 1; }`,
    `while read -r name value; do case $name in`,
    `CapEff:) [ "$value" = 0000000000000000 ] || { echo 'capabilities are left'; exit 1; };;`,
    `esac; done </proc/self/status`,
    ...(closesNetwork
      ? [
          `while read -r name _; do case $name in lo:|Inter-*|face) ;; *:*) echo 'there is a network'; exit 1;; esac; done </proc/self/net/dev`,
        ]
      : []),
    `echo ${HELD}`,
  ].join("\n");

function probe(parts: LandlockMachineParts, place: ProbePlace): Promise<Probed> {
  const { shell, namespaces } = parts.tools;
  const closesNetwork = namespaces !== undefined;
  const label = { commands: closesNetwork ? "os" : "files", fileTools: "policy" } as const;
  return tryOut("Landlock", place, { shell, script: script(closesNetwork) }, (attemptPlace, wish) => {
    // What is tried lies in the folder for temporary files: that one is not to be open.
    return new LandlockAttempt({ ...parts, ...attemptPlace, closesNetwork, sharesScratch: false }, wish, label);
  });
}
