import type { LandlockLauncher } from "../landlock/find-launcher.ts";
import type { CgroupPlace } from "./cgroups.ts";
import type { ProgramLimits } from "./limits.ts";
import type { SandboxTools } from "./tools.ts";

/** What there is on this machine to confine with. */
export interface MachineParts {
  readonly tools: SandboxTools;
  readonly limits: ProgramLimits;
  /** Undefined: none can be made, and limits are each process's own. */
  readonly cgroups: CgroupPlace | undefined;
  /** A second layer inside of the sandbox. Undefined: there is none here. */
  readonly landlock: LandlockLauncher | undefined;
}
