import type { ConfinementLabel, Policy } from "../schema/index.ts";
import type { PreparedWorkspace } from "./workspace.ts";

/** A program to start, as it is before or after it was confined. */
export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
}

export interface Confined {
  readonly label: ConfinementLabel;
  /** The same program, held to the policy. */
  wrap(command: Command): Command;
  release(): Promise<void>;
}

/**
 * How the operating system enforces a policy on programs.
 *
 * - The policy is an argument, never a setting of the process: two attempts with two policies run at once.
 * - `label` MUST say what really holds. "os" only where the kernel enforces files and network.
 * - Secrets MUST NOT stand in `args`: other processes can read them.
 */
export interface Confinement {
  prepare(policy: Policy, workspace: PreparedWorkspace): Promise<Confined>;
}
