// One attempt's programs on macOS, each behind a profile that is made of the attempt's policy.
import { mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import type { Command, Confined, ConfinementWish, ReachableHost } from "../../ports/index.ts";
import type { ConfinementLabel } from "../../schema/index.ts";
import { AttemptFiles } from "../bubblewrap/attempt-files.ts";
import { AttemptMounts, type AttemptPlace } from "../bubblewrap/attempt-mounts.ts";
import { boundsFor } from "../bubblewrap/launch-script.ts";
import type { ProgramLimits } from "../bubblewrap/limits.ts";
import { AttemptNetwork } from "../egress/attempt-network.ts";
import { fileOf } from "../file-of.ts";
import { ownFolders } from "../shown.ts";
import { type LoopbackEgress, openLoopbackEgress } from "./loopback-egress.ts";
import { seatbeltProfile } from "./profile.ts";

export interface SeatbeltTools {
  /** `sandbox-exec`, by its path. */
  readonly launcher: string;
  readonly shell: string;
}

export interface SeatbeltParts extends AttemptPlace {
  readonly tools: SeatbeltTools;
  readonly limits: ProgramLimits;
  readonly privateHosts: readonly string[];
}

export class SeatbeltAttempt implements Confined {
  readonly label: ConfinementLabel;
  readonly #parts: SeatbeltParts;
  readonly #files = new AttemptFiles();
  readonly #mounts: AttemptMounts;
  readonly #network: AttemptNetwork<LoopbackEgress>;

  constructor(parts: SeatbeltParts, wish: ConfinementWish, label: ConfinementLabel) {
    this.#parts = parts;
    this.label = label;
    this.#mounts = new AttemptMounts(parts, wish, this.#files, parts.limits.scratchBytes);
    this.#network = new AttemptNetwork(openLoopbackEgress, parts.privateHosts, wish);
  }

  letReach(hosts: readonly ReachableHost[]): Promise<void> {
    return this.#network.letReach(hosts);
  }

  async openNetwork(): Promise<void> {
    await this.#network.open();
  }

  wrap(command: Command): Command {
    const { tools, limits } = this.#parts;
    const file = fileOf(command);
    const listed = this.#mounts.for(command, file).list();
    const scratch = join(realpathSync.native(this.#files.folder), "scratch");
    mkdirSync(scratch, { recursive: true });
    const shown = [...listed, { path: scratch, kind: "write" as const }];
    const profile = this.#files.write(
      "profile",
      seatbeltProfile({ shown, ports: [...(this.#network.way?.ports ?? [])].toSorted((a, b) => a - b) }),
    );
    const steps = [...boundsFor([], limits), 'cd "$1"', "shift", 'exec "$@"'];
    const words = [tools.launcher, "-f", profile, file, ...command.args];
    return {
      file: tools.shell,
      args: ["-c", steps.join(" && "), "sh", command.cwd, ...words],
      cwd: "/",
      env: { ...command.env, ...ownFolders(command, listed, scratch), ...this.#network.way?.env },
    };
  }

  async release(): Promise<void> {
    try {
      await this.#mounts.takeAway();
    } finally {
      await this.#network.release();
      this.#files.remove();
    }
  }
}
