// One attempt's programs on macOS, each behind a profile that is made of the attempt's policy.
import { mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { findProgram } from "../../platform/find-program.ts";
import type { Command, Confined, ConfinementWish, ReachableHost } from "../../ports/index.ts";
import type { ConfinementLabel } from "../../schema/index.ts";
import { AttemptFiles } from "../bubblewrap/attempt-files.ts";
import { AttemptMounts, type AttemptPlace } from "../bubblewrap/attempt-mounts.ts";
import { boundsFor } from "../bubblewrap/launch-script.ts";
import type { ProgramLimits } from "../bubblewrap/limits.ts";
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
  readonly #wish: ConfinementWish;
  readonly #files = new AttemptFiles();
  readonly #mounts: AttemptMounts;
  #egress: Promise<LoopbackEgress> | undefined;
  #network: LoopbackEgress | undefined;

  constructor(parts: SeatbeltParts, wish: ConfinementWish, label: ConfinementLabel) {
    this.#parts = parts;
    this.#wish = wish;
    this.label = label;
    this.#mounts = new AttemptMounts(parts, wish, this.#files, parts.limits.scratchBytes);
  }

  async letReach(hosts: readonly ReachableHost[]): Promise<void> {
    (await this.openNetwork()).letReach(hosts);
  }

  /** Once: all programs of the attempt share what leads out. */
  async openNetwork(): Promise<LoopbackEgress> {
    this.#egress ??= openLoopbackEgress({
      network: this.#wish.policy.network,
      privateHosts: this.#parts.privateHosts,
      onRefused: (refusal) => this.#wish.onRefused(refusal),
      carriesSecret: (text) => this.#wish.carriesSecret(text),
    });
    this.#network = await this.#egress;
    return this.#network;
  }

  wrap(command: Command): Command {
    const { tools, limits } = this.#parts;
    const found = findProgram(command.file, { cwd: command.cwd, path: command.env["PATH"] });
    const file = found.ok ? found.file : command.file;
    const listed = this.#mounts.for(command, file).list();
    const scratch = join(realpathSync.native(this.#files.folder), "scratch");
    mkdirSync(scratch, { recursive: true });
    const shown = [...listed, { path: scratch, kind: "write" as const }];
    const profile = this.#files.write(
      "profile",
      seatbeltProfile({ shown, ports: [...(this.#network?.ports ?? [])].toSorted((a, b) => a - b) }),
    );
    const steps = [...boundsFor([], limits), 'cd "$1"', "shift", 'exec "$@"'];
    const words = [tools.launcher, "-f", profile, file, ...command.args];
    return {
      file: tools.shell,
      args: ["-c", steps.join(" && "), "sh", command.cwd, ...words],
      cwd: "/",
      env: { ...command.env, ...ownFolders(command, listed, scratch), ...this.#network?.env },
    };
  }

  async release(): Promise<void> {
    try {
      await this.#mounts.takeAway();
    } finally {
      await (await this.#egress?.catch(() => undefined))?.release();
      this.#files.remove();
    }
  }
}
