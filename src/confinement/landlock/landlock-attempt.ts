// One attempt's programs where there is no bubblewrap: files by Landlock; more where namespaces can be made.
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { admissionRefused } from "../../errors/index.ts";
import type { Command, Confined, ConfinementWish, ReachableHost } from "../../ports/index.ts";
import type { ConfinementLabel } from "../../schema/index.ts";
import { AttemptFiles } from "../bubblewrap/attempt-files.ts";
import { AttemptMounts, type AttemptPlace } from "../bubblewrap/attempt-mounts.ts";
import { Cgroup, type CgroupPlace } from "../bubblewrap/cgroups.ts";
import { boundsFor } from "../bubblewrap/launch-script.ts";
import type { ProgramLimits } from "../bubblewrap/limits.ts";
import { realPathOf } from "../bubblewrap/mounts.ts";
import { fileOf } from "../file-of.ts";
import { ownFolders, type Shown } from "../shown.ts";
import { coverSteps } from "./cover-steps.ts";
import { landlockWords } from "./find-launcher.ts";
import type { LandlockTools } from "./landlock-tools.ts";
import { SHARED_SCRATCH, systemGrants } from "./system-grants.ts";

export interface LandlockParts extends AttemptPlace {
  readonly tools: LandlockTools;
  readonly limits: ProgramLimits;
  readonly cgroups: CgroupPlace | undefined;
  /** Whether programs are put into a network with nothing in it. Else theirs is the machine's. */
  readonly closesNetwork: boolean;
  /** Whether they may use the folders for temporary files that are everybody's. */
  readonly sharesScratch: boolean;
}

const NETWORK_OPEN =
  "the network is not enforced for programs of this attempt: only bubblewrap could hold them to what the policy names";

export class LandlockAttempt implements Confined {
  readonly label: ConfinementLabel;
  readonly #parts: LandlockParts;
  readonly #wish: ConfinementWish;
  readonly #files = new AttemptFiles();
  readonly #mounts: AttemptMounts;
  #cgroup: Cgroup | undefined;
  #hasWarned = false;

  constructor(parts: LandlockParts, wish: ConfinementWish, label: ConfinementLabel) {
    this.#parts = parts;
    this.#wish = wish;
    this.label = label;
    this.#mounts = new AttemptMounts(parts, wish, this.#files, parts.limits.scratchBytes);
  }

  async letReach(hosts: readonly ReachableHost[]): Promise<void> {
    if (!this.#parts.closesNetwork || hosts.length === 0) return;
    throw admissionRefused(
      "confinement",
      `it has to reach ${hosts.map(({ host }) => host).join(", ")}, and only bubblewrap can let it reach that alone`,
      "Install bubblewrap: cadre doctor",
    );
  }

  wrap(command: Command): Command {
    const { tools, limits, cgroups, closesNetwork } = this.#parts;
    const { shell } = tools;
    if (!closesNetwork) this.#warnOnce();
    const file = fileOf(command);
    this.#cgroup ??= cgroups === undefined ? undefined : new Cgroup(cgroups, limits);
    const shown = this.#mounts.for(command, file).list();
    const scratch = join(this.#files.folder, "scratch");
    mkdirSync(scratch, { recursive: true });
    // The launcher is started behind the covers: it may lie below one of them.
    const needed: Shown[] = [
      { path: scratch, kind: "write" },
      { path: realPathOf(tools.launcher.file) ?? tools.launcher.file, kind: "read" },
    ];
    const namespace = this.#namespaceWords([...shown, ...needed]);
    const words = [
      ...namespace,
      shell,
      "-c",
      ENTER,
      "sh",
      command.cwd,
      ...(tools.setpriv === undefined ? [] : [tools.setpriv, ...WITHOUT_RIGHTS]),
      ...landlockWords(tools.launcher, this.#grants(shown, scratch)),
      ...(tools.launcher.isWhole ? [] : [shell, "-c", SPEAK_AGAIN, "sh"]),
    ];
    const quiet = tools.launcher.isWhole ? [] : [BE_QUIET];
    const steps = [...boundsFor(this.#cgroup?.doors ?? [], limits), ...quiet, RUN];
    const args = ["-c", steps.join(" && "), "sh", ...words, file, ...command.args];
    return { file: shell, args, cwd: "/", env: { ...command.env, ...ownFolders(command, shown, scratch) } };
  }

  async release(): Promise<void> {
    try {
      await this.#mounts.takeAway();
    } finally {
      this.#files.remove();
      if (this.#cgroup?.remove() === false) this.#wish.warn("a control group of this attempt could not be removed");
    }
  }

  #grants(shown: readonly Shown[], scratch: string) {
    const of = (kind: Shown["kind"]) => shown.filter((one) => one.kind === kind).map(({ path }) => path);
    const system = systemGrants();
    const shared = this.#parts.sharesScratch ? SHARED_SCRATCH : [];
    return { read: [...system.read, ...of("read")], write: [...system.write, ...shared, ...of("write"), scratch] };
  }

  #namespaceWords(shown: readonly Shown[]): string[] {
    const { closesNetwork, tools } = this.#parts;
    const { namespaces, shell, uid, gid } = tools;
    if (namespaces === undefined) return [];
    const stash = join(this.#files.folder, "stash");
    mkdirSync(stash, { recursive: true });
    const closed = closesNetwork ? WHERE_SOCKETS_ARE.filter((path) => existsSync(path)) : [];
    const covers = coverSteps({ shown, closed, stash, tools: namespaces });
    const { unshare } = namespaces;
    const network = closesNetwork ? ["--net"] : [];
    if (network.length + covers.length === 0) return [];
    const script = [...covers, RUN].join(" && ");
    if (uid === 0) return [unshare, "--mount", ...network, "--", shell, "-c", script, "sh"];
    // Root of its own for the mounts, and then who it was: a program that believes to be root behaves otherwise.
    const asRoot = [unshare, "--user", "--map-root-user", "--mount", ...network, "--"];
    const asUser = [unshare, "--user", `--map-user=${uid}`, `--map-group=${gid}`, "--"];
    return [...asRoot, shell, "-c", script, "sh", ...asUser];
  }

  #warnOnce(): void {
    if (this.#hasWarned || this.#wish.policy.network === true) return;
    this.#hasWarned = true;
    this.#wish.warn(NETWORK_OPEN);
  }
}

const RUN = 'exec "$@"';
/** Only when all is mounted: who stands in a folder already does not see what is mounted over it. */
const ENTER = `cd "$1" && shift && ${RUN}`;

/** Most of them: of the machine's services, of the user's session, of agents that hold keys. */
const WHERE_SOCKETS_ARE = ["/run", "/tmp"];

const WITHOUT_RIGHTS = ["--no-new-privs", "--bounding-set=-all", "--inh-caps=-all", "--"];

/** On older kernels the launcher has a line to say at every start. It is not the program's. */
const BE_QUIET = "exec 9>&2 2>/dev/null";
const SPEAK_AGAIN = 'exec 2>&9 9>&-; exec "$@"';
