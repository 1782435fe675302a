import { constants } from "node:fs";
import { access, readFile } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";
import * as z from "zod";
import type { ModelsFound } from "../../app/cadre.ts";
import type { Cadre } from "../../app/index.ts";
import { packageRoot } from "../../app/version.ts";
import { CadreError } from "../../errors/index.ts";
import type { CustodyTier } from "../../schema/index.ts";
import { type CommandContext, defineCommand } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { type Check, checkLines } from "../render/checks.ts";

export const command = defineCommand({
  usage: "doctor",
  summary: "See what is there and what is missing, with the command that mends it",
  insteadInSandbox: "Run it outside of any running agent. What can be run in here: cadre agents",
  operations: ["agent.list", "config.get", "config.list", "workspace.list"],
  args: z.object({}),
  async run(context) {
    const { checks: project, needsTerminal, setting } = await checkHomeAndProject(context);
    const machine = [await checkBubblewrap(context, setting), checkTerminal(context, needsTerminal)];
    const checks = [await checkNode(), ...project, ...machine];
    context.out.data(checks, checkLines);
    return checks.some(({ state, essential }) => essential && state === "missing") ? EXIT.environment : EXIT.ok;
  },
});

const ok = (name: string, says: string): Check => ({ name, state: "ok", says, fix: null, essential: false });
const missing = (name: string, says: string, fix: string | null): Check => ({
  ...ok(name, says),
  state: "missing",
  fix,
});
const unknown = (name: string, says: string): Check => ({ ...ok(name, says), state: "unknown" });
const essentially = (check: Check): Check => ({ ...check, essential: true });

const Manifest = z.object({ engines: z.object({ node: z.string() }) });

async function checkNode(): Promise<Check> {
  const manifest: unknown = JSON.parse(await readFile(join(packageRoot(), "package.json"), "utf8"));
  const wanted = Manifest.parse(manifest).engines.node.replace(">=", "");
  const has = process.versions.node;
  const says = `${has} (${wanted} or newer is needed)`;
  return essentially(isAtLeast(has, wanted) ? ok("node", says) : missing("node", says, "https://nodejs.org/download"));
}

function isAtLeast(version: string, wanted: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [wantedMajor = 0, wantedMinor = 0] = wanted.split(".").map(Number);
  return major > wantedMajor || (major === wantedMajor && minor >= wantedMinor);
}

interface Findings {
  readonly checks: readonly Check[];
  /** Whether a person's decisions need one here. */
  readonly needsTerminal: boolean;
}

/** Of `security.confinement`; `best` is what there is where nobody has said anything. */
type Setting = "best" | "required" | "off";

interface AllFindings extends Findings {
  readonly setting: Setting;
}

/** What is ignored is listed among the settings. */
const QUIET = { onProblem: () => undefined };

/** What needs an open Cadre. Where it cannot be opened, that is what is missing. */
async function checkHomeAndProject({ open }: CommandContext): Promise<AllFindings> {
  try {
    await using cadre = await open(QUIET);
    const settings = await checkSettings(cadre);
    const setting = await confinementSetting(cadre);
    const home = essentially(await checkHome(cadre.home));
    const checks = [
      home,
      ...(await checkAgents(cadre)),
      ...settings.checks,
      await checkModels(cadre),
      ...(await checkBackends(cadre)),
      await checkCustody(cadre),
      await checkConfinement(cadre, setting),
      ...(await checkKeptWork(cadre)),
    ];
    return { checks, needsTerminal: settings.needsTerminal, setting };
  } catch (error) {
    if (!CadreError.isInstance(error) || error.code === "authority.denied") throw error;
    const name = error.code === "definition.invalid" ? "settings" : "home";
    return {
      checks: [essentially(missing(name, error.message, error.hint ?? null))],
      needsTerminal: true,
      setting: "best",
    };
  }
}

/** Said only where there is some: it takes space, and waits for a person. */
async function checkKeptWork(cadre: Cadre): Promise<Check[]> {
  const { work } = await cadre.call("workspace.list", {});
  if (work.length === 0) return [];
  const open = work.filter(({ isUncommitted }) => isUncommitted).length;
  const rest = open === 0 ? "" : `, ${open} of them not all committed`;
  return [ok("kept work", `${work.length} worktrees or copies wait for you${rest}: cadre merge --list`)];
}

async function checkHome(home: string): Promise<Check> {
  const elsewhere = "Name a home on a local disk: --home <folder>, or CADRE_HOME";
  const isWritable = await access(home, constants.W_OK).then(
    () => true,
    () => false,
  );
  if (!isWritable) return missing("home", `${home} cannot be written`, elsewhere);
  return ok("home", `${home}, its store opens and can be written`);
}

async function checkAgents(cadre: Cadre): Promise<Check[]> {
  const { agents, problems } = await cadre.call("agent.list", {});
  const ofProject = agents.filter(({ source }) => source.startsWith(join(cadre.home, "agents")));
  const inert = ofProject.filter(({ trusted }) => !trusted).map(({ definition }) => definition.name);
  const usable = agents.filter(({ trusted }) => trusted).length;
  const broken = problems.map(({ source, message }) => `${source}: ${message}`);
  return [
    inert.length === 0
      ? ok("trust", ofProject.length === 0 ? "no agents here that would need it" : "the agents of this home can run")
      : missing("trust", `${cadre.project} is not trusted: ${inert.join(", ")} cannot run`, "cadre trust"),
    broken.length === 0
      ? ok("agents", `${usable} can be run`)
      : missing("agents", [`${usable} can be run; with problems:`, ...broken].join("\n"), "cadre agents"),
  ];
}

async function checkSettings(cadre: Cadre): Promise<Findings> {
  try {
    const { settings, warnings } = await cadre.call("config.list", {});
    const ignored = ["some are ignored:", ...warnings].join("\n");
    const isExcused = settings.some(({ key, value }) => key === "security.person_without_terminal" && value === true);
    return {
      checks: [
        warnings.length === 0
          ? ok("settings", "nothing in them is ignored")
          : missing("settings", ignored, "cadre config list"),
      ],
      needsTerminal: !isExcused,
    };
  } catch (error) {
    if (!CadreError.isInstance(error)) throw error;
    return { checks: [unknown("settings", error.message)], needsTerminal: true };
  }
}

async function checkModels(cadre: Cadre): Promise<Check> {
  try {
    return modelsCheck(await cadre.models());
  } catch (error) {
    if (!CadreError.isInstance(error)) throw error;
    return essentially(missing("models", error.message, error.hint ?? null));
  }
}

function modelsCheck({ default: model, obstacle, providers }: ModelsFound): Check {
  const ready = providers.filter(({ isMet }) => isMet).map(({ name }) => name);
  const keys = [...new Set(providers.flatMap(({ variables }) => variables.slice(0, 1)))].join(", ");
  if (ready.length === 0)
    return missing(
      "models",
      "no key of a provider is set: agents run from tapes and commands only",
      `Set one of ${keys}`,
    );
  const unset = "cadre config set models.default provider/model";
  const says = `keys for ${ready.join(", ")}`;
  if (model === null) return missing("models", `${says}; no default model`, unset);
  const found = `${says}; default: ${model}`;
  const obstacles = [obstacle, ...providers.map((provider) => provider.obstacle)].filter((one) => one !== null);
  if (obstacles.length === 0) return ok("models", found);
  const [why, fixes] = [obstacles.map(({ message }) => message), obstacles.map(({ hint }) => hint)];
  return missing("models", [found, ...new Set(why)].join("\n"), [...new Set(fixes)].join(" "));
}

/** A line for each that is there; one for all that are not. */
async function checkBackends(cadre: Cadre): Promise<Check[]> {
  const backends = await cadre.backends();
  const there = backends.filter(({ isThere }) => isThere);
  const absent = backends.filter(({ isThere }) => !isThere).map(({ name }) => name);
  return [
    ...there.map(({ name, says, fix, cannot, coolDown }) => {
      const rests =
        coolDown === null
          ? []
          : [`not chosen by itself until ${new Date(coolDown.until).toISOString()}: ${coolDown.why}`];
      const text = [says, ...rests, ...cannot.map((what) => `cannot ${what}`)].join("\n");
      return fix === null ? ok(name, text) : missing(name, text, fix);
    }),
    ...(absent.length === 0 ? [] : [ok("other CLIs", `not installed, and not needed: ${absent.join(", ")}`)]),
  ];
}

const TIERS = {
  namespace: "namespace: what an attempt starts ends with it, or with the next worker's sweep",
  tracked: "tracked: a process that hides its traces can outlive its attempt",
} as const satisfies Record<CustodyTier, string>;

const checkCustody = async (cadre: Cadre): Promise<Check> => ok("custody", TIERS[await cadre.custodyTier()]);

async function confinementSetting(cadre: Cadre): Promise<Setting> {
  const { value } = await cadre.call("config.get", { key: "security.confinement" });
  return value === "required" || value === "off" ? value : "best";
}

async function checkConfinement(cadre: Cadre, setting: Setting): Promise<Check> {
  const { commands, limits, note } = await cadre.confinement();
  const why = note === undefined ? "" : `\n${note}`;
  if (commands !== "os" && setting === "required")
    return missing(
      "confinement",
      `required, and not to be had here: no program of an agent runs${why}`,
      confinementFix(setting),
    );
  if (commands === "policy")
    return missing(
      "confinement",
      `policy: files and network are not enforced for the programs of agents${why}`,
      confinementFix(setting),
    );
  if (commands === "files")
    return missing(
      "confinement",
      `files: programs see the files that their policy names; the network is not enforced${why}`,
      confinementFix(setting),
    );
  const bounded = limits === "cgroup" ? "for all programs of an attempt together" : "for each process alone";
  return ok("confinement", `os: programs see and reach what their policy names; memory is bounded ${bounded}${why}`);
}

function confinementFix(setting: Setting): string {
  if (setting === "off") return "cadre config set security.confinement best";
  const install = process.platform === "linux" ? "Install bubblewrap, see below" : "There is nothing to install here";
  if (setting === "required") return install;
  return `${install}; to run no program that is not held: cadre config set security.confinement required`;
}

const INSTALL: ReadonlyMap<string, string> = new Map([
  ["fedora", "sudo dnf install bubblewrap"],
  ["rhel", "sudo dnf install bubblewrap"],
  ["arch", "sudo pacman -S bubblewrap"],
  ["alpine", "sudo apk add bubblewrap"],
  ["opensuse", "sudo zypper install bubblewrap"],
]);

/** What becomes of the programs of agents where bubblewrap is not there. */
const WITHOUT_BUBBLEWRAP = {
  best: "without it, files are held by Landlock, where that works, and the network by nothing",
  required:
    "without it, programs run where Landlock holds their files and they can be left without a network, else not",
  off: "it is not used: confinement is switched off in the settings",
} as const satisfies Record<Setting, string>;

async function checkBubblewrap({ streams }: CommandContext, setting: Setting): Promise<Check> {
  if (process.platform === "darwin")
    return missing("bubblewrap", "not to be had on this system; programs are held by sandbox-exec, untested", null);
  if (process.platform !== "linux")
    return missing("bubblewrap", "not to be had on this system; without it, nothing confines programs", null);
  const found = await findProgram("bwrap", streams.env["PATH"] ?? "");
  if (found !== null) return ok("bubblewrap", found);
  const release = await readFile("/etc/os-release", "utf8").catch(() => "");
  const names = /^ID_LIKE=(.*)$/m.exec(release)?.[1] ?? "";
  const words = `${/^ID=(.*)$/m.exec(release)?.[1] ?? ""} ${names}`.replaceAll('"', "").split(/[ -]/);
  const fix = words.map((word) => INSTALL.get(word)).find((line) => line !== undefined);
  return missing("bubblewrap", `not on PATH; ${WITHOUT_BUBBLEWRAP[setting]}`, fix ?? "sudo apt install bubblewrap");
}

async function findProgram(name: string, path: string): Promise<string | null> {
  for (const folder of path.split(delimiter).filter(isAbsolute)) {
    const file = join(folder, name);
    if (
      await access(file, constants.X_OK).then(
        () => true,
        () => false,
      )
    )
      return file;
  }
  return null;
}

function checkTerminal({ streams }: CommandContext, isNeeded: boolean): Check {
  if (streams.stdin.isTTY === true) return ok("terminal", "here: what is a person's to decide can be decided");
  if (!isNeeded) return ok("terminal", "none, and your settings say that none is needed");
  return missing(
    "terminal",
    "none: what is a person's to decide cannot be decided here",
    "Run it on a terminal, or once there: cadre config set security.person_without_terminal true",
  );
}
