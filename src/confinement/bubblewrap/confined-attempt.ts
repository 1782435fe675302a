// One attempt's programs, each in a sandbox of its own that is made of the attempt's policy.
import type { Command, Confined, ConfinementWish, ReachableHost } from "../../ports/index.ts";
import type { ConfinementLabel } from "../../schema/index.ts";
import { AttemptNetwork } from "../egress/attempt-network.ts";
import { type Egress, openEgress } from "../egress/open-egress.ts";
import { fileOf } from "../file-of.ts";
import { secondLayer } from "../landlock/second-layer.ts";
import { AttemptFiles } from "./attempt-files.ts";
import { AttemptMounts, type AttemptPlace } from "./attempt-mounts.ts";
import { Cgroup } from "./cgroups.ts";
import { launchWords } from "./launch-script.ts";
import { sandboxArguments } from "./sandbox-arguments.ts";
import type { MachineParts } from "./machine-parts.ts";
import { seccompFilter } from "./seccomp/filter.ts";

export interface SandboxParts extends MachineParts, AttemptPlace {
  readonly privateHosts: readonly string[];
}

export class ConfinedAttempt implements Confined {
  readonly label: ConfinementLabel;
  readonly #parts: SandboxParts;
  readonly #wish: ConfinementWish;
  readonly #files = new AttemptFiles();
  readonly #mounts: AttemptMounts;
  readonly #network: AttemptNetwork<Egress>;
  #cgroup: Cgroup | undefined;

  constructor(parts: SandboxParts, wish: ConfinementWish, label: ConfinementLabel) {
    this.#parts = parts;
    this.#wish = wish;
    this.label = label;
    this.#mounts = new AttemptMounts(parts, wish, this.#files, parts.limits.scratchBytes);
    this.#network = new AttemptNetwork(openEgress, parts.privateHosts, wish);
  }

  letReach(hosts: readonly ReachableHost[]): Promise<void> {
    return this.#network.letReach(hosts);
  }

  async openNetwork(): Promise<void> {
    await this.#network.open();
  }

  wrap(command: Command): Command {
    const { tools, limits, cgroups, landlock } = this.#parts;
    const file = fileOf(command);
    this.#cgroup ??= cgroups === undefined ? undefined : new Cgroup(cgroups, limits);
    const mounts = this.#mounts.for(command, file, landlock === undefined ? [] : [landlock.file]);
    const sandbox = sandboxArguments({
      tools,
      limits,
      files: this.#files,
      mounts,
      cwd: command.cwd,
      home: command.env["HOME"] ?? "/",
      hasNetwork: this.#network.way !== undefined,
    });
    const [shell, ...args] = launchWords(
      {
        shell: tools.shell,
        bwrap: tools.bwrap,
        argumentsFile: this.#files.write("arguments", sandbox.map((word) => `${word}\0`).join("")),
        filterFile: this.#filter(),
        doors: this.#cgroup?.doors ?? [],
        limits,
        maySeeCovers: tools.isRoot && this.#wish.custody === "namespace",
        boundsProcesses: !tools.isRoot,
      },
      [...(landlock === undefined ? [] : secondLayer(landlock, mounts)), file, ...command.args],
    );
    const env = { ...command.env, ...this.#network.way?.env };
    return { file: shell, args, cwd: "/", env, enter: this.#network.way?.enter };
  }

  async release(): Promise<void> {
    try {
      await this.#mounts.takeAway();
    } finally {
      await this.#network.release();
      this.#files.remove();
      if (this.#cgroup?.remove() === false) this.#wish.warn("a control group of this attempt could not be removed");
    }
  }

  #filter(): string | undefined {
    const { machine } = this.#parts.tools;
    if (machine === undefined) return undefined;
    const filter = seccompFilter(machine, { unixSockets: this.#network.way !== undefined });
    return this.#files.write("filter", filter);
  }
}
