// One attempt's programs, each in a sandbox of its own that is made of the attempt's policy.
import { dirname } from "node:path";
import { findProgram } from "../../platform/find-program.ts";
import type { Command, Confined, ConfinementWish, ReachableHost } from "../../ports/index.ts";
import type { ConfinementLabel } from "../../schema/index.ts";
import { type Egress, openEgress } from "../egress/open-egress.ts";
import { AttemptFiles } from "./attempt-files.ts";
import { type AttemptScopes, attemptScopes } from "./attempt-scopes.ts";
import { Cgroup } from "./cgroups.ts";
import { installationOf, pathFolders } from "./installation.ts";
import { launchWords } from "./launch-script.ts";
import { Mounts, realPathOf } from "./mounts.ts";
import { ProtectedWatch } from "./protected-watch.ts";
import { sandboxArguments } from "./sandbox-arguments.ts";
import type { MachineParts } from "./machine-parts.ts";
import { seccompFilter } from "./seccomp/filter.ts";

export interface SandboxParts extends MachineParts {
  /** Folders of Cadre's own state. Programs see nothing of them but what is the attempt's own. */
  readonly homes: readonly string[];
  /** Where protected files are moved that a program has made, by task. */
  readonly quarantine: (task: string) => string;
  /** Programs of ours, such as the Node that runs this: readable wherever they lie. */
  readonly programs: readonly string[];
  readonly privateHosts: readonly string[];
}

export class ConfinedAttempt implements Confined {
  readonly label: ConfinementLabel;
  readonly #parts: SandboxParts;
  readonly #wish: ConfinementWish;
  readonly #files = new AttemptFiles();
  #scopes: AttemptScopes | undefined;
  #watch: ProtectedWatch | undefined;
  #cgroup: Cgroup | undefined;
  #egress: Promise<Egress> | undefined;
  #network: Egress | undefined;

  constructor(parts: SandboxParts, wish: ConfinementWish, label: ConfinementLabel) {
    this.#parts = parts;
    this.#wish = wish;
    this.label = label;
  }

  async letReach(hosts: readonly ReachableHost[]): Promise<void> {
    const egress = await this.openNetwork();
    await egress.letReach(hosts);
  }

  /** Once: all programs of the attempt share what leads out. */
  async openNetwork(): Promise<Egress> {
    const { policy } = this.#wish;
    this.#egress ??= openEgress({
      network: policy.network,
      privateHosts: this.#parts.privateHosts,
      onRefused: (refusal) => this.#wish.onRefused(refusal),
    });
    this.#network = await this.#egress;
    return this.#network;
  }

  wrap(command: Command): Command {
    const { tools, limits, cgroups } = this.#parts;
    const found = findProgram(command.file, { cwd: command.cwd, path: command.env["PATH"] });
    const file = found.ok ? found.file : command.file;
    this.#cgroup ??= cgroups === undefined ? undefined : new Cgroup(cgroups, limits);
    const sandbox = sandboxArguments({
      tools,
      limits,
      files: this.#files,
      mounts: this.#mountsFor(command, file),
      cwd: command.cwd,
      home: command.env["HOME"] ?? "/",
      hasNetwork: this.#network !== undefined,
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
      [file, ...command.args],
    );
    const env = { ...command.env, ...this.#network?.env };
    return { file: shell, args, cwd: "/", env, enter: this.#network?.enter };
  }

  async release(): Promise<void> {
    this.#takeAway();
    await (await this.#egress?.catch(() => undefined))?.release();
    this.#files.remove();
    if (this.#cgroup?.remove() === false) this.#wish.warn("a control group of this attempt could not be removed");
  }

  #mountsFor(command: Command, file: string): Mounts {
    const { limits, homes, programs } = this.#parts;
    const { root } = this.#wish.workspace;
    this.#scopes ??= attemptScopes(this.#wish, homes);
    const mounts = new Mounts(limits.scratchBytes);
    mounts.add("read", ...this.#scopes.read);
    mounts.add("write", ...this.#scopes.write);
    mounts.add("read", ...[file, ...programs].flatMap(installationOf), ...pathFolders(command.env["PATH"]));
    mounts.add("read", ...(command.reads ?? []));
    this.#watch ??= this.#startWatch(mounts, root);
    mounts.protect(...this.#watch.paths);
    mounts.add("write", ...(command.writes ?? []));
    for (const home of [...homes, dirname(this.#files.folder)]) mounts.hide(home);
    for (const name of ["HOME", "TMPDIR"]) mounts.addEmpty(command.env[name] ?? "/");
    return mounts;
  }

  #startWatch(mounts: Mounts, root: string): ProtectedWatch {
    const { homes } = this.#parts;
    const watch = new ProtectedWatch({ writable: mounts.writable(), homes, root: realPathOf(root) ?? root });
    if (!watch.isWhole)
      this.#wish.warn("the workspace has too many files to look through: protected files deep in it are not held");
    return watch;
  }

  #filter(): string | undefined {
    const { machine } = this.#parts.tools;
    if (machine === undefined) return undefined;
    const filter = seccompFilter(machine, { unixSockets: this.#network !== undefined });
    return this.#files.write("filter", filter);
  }

  #takeAway(): void {
    const { task } = this.#wish;
    for (const { path, to } of this.#watch?.takeAway(this.#parts.quarantine(task)) ?? []) {
      const what = `${path} was made while programs ran, and decides what others do`;
      this.#wish.warn(to === null ? `${what}: look at it before you run anything` : `${what}: moved to ${to}`);
    }
  }
}
