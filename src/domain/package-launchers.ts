// Launchers that fetch a package and run it at once, such as npx. What they would run is decided on the day by whoever
// holds the name: so they are not run. The package has to be installed, in the very version that a person has seen.

export type Launched =
  /** No launcher. */
  | { readonly kind: "none" }
  | { readonly kind: "problem"; readonly launcher: string; readonly problem: string }
  | ({ readonly kind: "package" } & LaunchedPackage);

export interface LaunchedPackage {
  readonly launcher: string;
  readonly of: "npm" | "python";
  readonly name: string;
  readonly version: string;
  /** Which of its programs; null: the one that it has, or the one that is called as it is. */
  readonly program: string | null;
  readonly args: readonly string[];
}

interface Launcher {
  readonly of: LaunchedPackage["of"];
  /** Words behind the command that make it one. */
  readonly words: readonly string[];
  /** Options that take the next word as their value: the package, or where they are not understood. */
  readonly packageOptions: readonly string[];
  /** Options without a value that change nothing for us. */
  readonly ignored: readonly string[];
}

const NPX = { of: "npm", packageOptions: ["-p", "--package"] } as const;
const QUIET = ["-y", "--yes", "-q", "--quiet", "--no-install", "--no", "--offline", "--prefer-offline", "--silent"];
const UVX = {
  of: "python",
  packageOptions: ["--from"],
  ignored: ["-q", "--quiet", "--offline", "--isolated"],
} as const;

const LAUNCHERS: Readonly<Record<string, readonly Launcher[]>> = {
  npx: [{ ...NPX, words: [], ignored: QUIET }],
  pnpx: [{ ...NPX, words: [], ignored: QUIET }],
  bunx: [{ ...NPX, words: [], ignored: [...QUIET, "--bun"] }],
  npm: ["exec", "x"].map((word) => ({ ...NPX, words: [word], ignored: QUIET })),
  pnpm: [{ ...NPX, words: ["dlx"], ignored: QUIET }],
  yarn: [{ ...NPX, words: ["dlx"], ignored: QUIET }],
  bun: [{ ...NPX, words: ["x"], ignored: [...QUIET, "--bun"] }],
  uvx: [{ ...UVX, words: [] }],
  uv: [{ ...UVX, words: ["tool", "run"] }],
  pipx: [{ of: "python", packageOptions: ["--spec"], words: ["run"], ignored: ["-q", "--quiet"] }],
};

export function launchedPackage(command: string, args: readonly string[]): Launched {
  const name = (command.split(/[/\\]/).at(-1) ?? "").replace(/\.(?:cmd|exe)$/i, "");
  const kinds = Object.hasOwn(LAUNCHERS, name) ? (LAUNCHERS[name] ?? []) : [];
  const launcher = kinds.find(({ words }) => words.every((word, at) => args[at] === word));
  if (launcher === undefined) return { kind: "none" };
  const called = [name, ...launcher.words].join(" ");
  const read = readWords(launcher, args.slice(launcher.words.length));
  if (typeof read === "string") return { kind: "problem", launcher: called, problem: read };
  const spec = SPECS[launcher.of].exec(read.spec)?.groups;
  if (spec?.["name"] === undefined || spec["version"] === undefined)
    return {
      kind: "problem",
      launcher: called,
      problem: `${JSON.stringify(read.spec)} names no package with its exact version, such as ${EXAMPLES[launcher.of]}`,
    };
  const { program, rest } = read;
  const found = { name: spec["name"], version: spec["version"], program, args: rest };
  return { kind: "package", launcher: called, of: launcher.of, ...found };
}

const NUMBER = "\\d+(?:\\.\\d+)+[A-Za-z0-9.+-]*";
const SPECS = {
  npm: new RegExp(
    `^(?<name>(?:@[a-z0-9][a-z0-9._-]*/)?[a-z0-9][a-z0-9._-]*)@(?<version>\\d+\\.\\d+\\.\\d+[A-Za-z0-9.+-]*)$`,
  ),
  python: new RegExp(`^(?<name>[A-Za-z0-9][A-Za-z0-9._-]*)(?:\\[[A-Za-z0-9,._-]*\\])?(?:==|@)(?<version>${NUMBER})$`),
} as const;
const EXAMPLES = { npm: "some-server@1.2.3", python: "some-server==1.2.3" } as const;

interface Words {
  readonly spec: string;
  readonly program: string | null;
  readonly rest: readonly string[];
}

/** Up to the first word that is no option: the package, or its program where an option has named the package. */
function readWords({ packageOptions, ignored }: Launcher, args: readonly string[]): Words | string {
  const specs: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? "";
    const [option = "", value] = word.split(/=(.*)/s, 2);
    if (word === "--") return named(specs, args.slice(at + 1));
    if (!word.startsWith("-")) return named(specs, args.slice(at));
    if (packageOptions.includes(option)) specs.push(value ?? args[++at] ?? "");
    else if (!ignored.includes(word)) return `its option ${JSON.stringify(word)} is not understood here`;
  }
  return "it names no package";
}

function named(specs: readonly string[], [first, ...rest]: readonly string[]): Words | string {
  const [spec, another] = specs;
  if (first === undefined) return "it names no program";
  if (another !== undefined) return "it names several packages";
  return spec === undefined ? { spec: first, program: null, rest } : { spec, program: first, rest };
}

/** For a person who reads what a definition would start. */
export function launcherWords(command: string, args: readonly string[]): string {
  const launched = launchedPackage(command, args);
  if (launched.kind === "none") return "";
  if (launched.kind === "problem") return ` (will not be started: ${launched.problem})`;
  const { name, version, of } = launched;
  return ` (the ${of === "npm" ? "npm" : "Python"} package ${name}, version ${version}, which has to be installed)`;
}
