import type { ConfinementLabel, CustodyTier, Policy, TaskId } from "../schema/index.ts";
import type { OwnFiles } from "./backend.ts";
import type { Keep } from "./custody.ts";
import type { PreparedWorkspace } from "./workspace.ts";

/** A program to start, as it is before or after it was confined. */
export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /**
   * What the program itself needs beside the policy: where it is installed, a script that its definition names,
   * its private home. Absolute. For a confinement only; whoever starts programs takes no notice.
   */
  readonly reads?: readonly string[] | undefined;
  readonly writes?: readonly string[] | undefined;
  /**
   * A command that becomes the one behind it, such as `nsenter` with its options. Whoever starts programs puts it
   * before everything else, its own launcher included: what it names exists in the worker's own /proc only.
   */
  readonly enter?: readonly string[] | undefined;
}

export interface ReachableHost {
  readonly host: string;
  readonly port: number;
}

/** A connection that a program wanted and did not get. */
export interface HostRefusal extends ReachableHost {
  readonly why: string;
}

export interface Confined {
  readonly label: ConfinementLabel;
  /** The same program, held to the policy. */
  wrap(command: Command): Command;
  /** Lets the programs of this attempt reach these hosts too: a CLI its own API. Before `wrap`. */
  letReach(hosts: readonly ReachableHost[]): Promise<void>;
  /** Called once, when no program of the attempt runs any more. */
  release(): Promise<void>;
}

export interface ConfinementWish {
  readonly task: TaskId;
  readonly policy: Policy;
  readonly workspace: Pick<PreparedWorkspace, "root" | "base" | "reads">;
  /** What is written there comes into the project by a person only. */
  readonly isOwnTree: boolean;
  readonly own: OwnFiles;
  /** The attempt's own: a confinement that needs a program for itself starts it in here. */
  readonly keep: Keep;
  /** How programs are kept: a sandbox inside of a namespace is built otherwise than one outside. */
  readonly custody: CustodyTier;
  /** The folder through which a `cadre` of the attempt's programs asks. It is made when this is called. */
  hatch?(): string | undefined;
  onRefused(refusal: HostRefusal): void;
  /** Whether a text that a program sends out holds a secret: then it is not sent. */
  carriesSecret(text: string): boolean;
  /** What a person should know about this attempt: a protected file that a program made, and where it is now. */
  warn(text: string): void;
}

/**
 * How the operating system enforces a policy on programs.
 *
 * - The policy is an argument, never a setting of the process: two attempts with two policies run at once.
 * - `label` MUST say what really holds. "os" only where the kernel enforces files and network, "files" where
 *   it enforces files alone.
 * - Secrets MUST NOT stand in `args`: other processes can read them.
 * - What was promised by the label and cannot be kept later MUST keep the program from running: never a program
 *   that is held less than its label says.
 */
export interface Confinement {
  prepare(wish: ConfinementWish): Promise<Confined>;
}
