import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import manifest from "../package.json" with { type: "json" };

type Environment = Record<string, string | undefined>;

interface Result {
  readonly ok: boolean;
  readonly output: string;
}

const root = fileURLToPath(new URL("../", import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), "cadre-smoke-"));
const consumer = join(scratch, "consumer");
const compiler = `${root}node_modules/typescript/bin/tsc`;
const counts = { passed: 0, failed: 0 };

/** The program a user would write, also compiled to see that the types are found. */
const program = `import { openCadre } from "cadre";
import { TaskStatus } from "cadre/schema";
import { memoryStore } from "cadre/testing";

const found: unknown[] = [openCadre, TaskStatus, memoryStore];
if (found.some((one) => one === undefined)) throw new Error("an export is missing");
`;

function run(command: string, args: readonly string[], env: Environment, cwd: string, seconds: number): Result {
  const limit = { timeout: seconds * 1000, killSignal: "SIGKILL" } as const;
  const options = { cwd, env, encoding: "utf8", input: "", ...limit } as const;
  const { status, signal, error, stdout, stderr } = spawnSync(command, args, options);
  const ending = error ? `${error.message}\n` : signal ? `ended by ${signal}\n` : status ? `exit code ${status}\n` : "";
  return { ok: status === 0, output: `${stdout ?? ""}${stderr ?? ""}${ending}` };
}

function check(title: string, result: Result): boolean {
  counts[result.ok ? "passed" : "failed"] += 1;
  console.log(result.ok ? `ok ${title}` : `FAILED ${title}\n${result.output.trimEnd()}`);
  return result.ok;
}

function matching(result: Result, pattern: RegExp): Result {
  const ok = result.ok && result.output.split("\n").some((line) => pattern.test(line.trim()));
  return { ok, output: result.ok && !ok ? `no line matches ${String(pattern)} in:\n${result.output}` : result.output };
}

/** A home of its own, without the settings npm hands to its scripts, but with the user's way to the registry. */
function environment(pathFirst: string): Environment {
  const clean = Object.entries(process.env).filter(([name]) => !name.toLowerCase().startsWith("npm_"));
  const kept: Environment = {
    HOME: scratch,
    PATH: [pathFirst, process.env["PATH"]].join(delimiter),
    npm_config_userconfig: process.env["npm_config_userconfig"] ?? join(homedir(), ".npmrc"),
    npm_config_cache: process.env["npm_config_cache"] ?? join(homedir(), ".npm"),
  };
  return { ...Object.fromEntries(clean), ...kept };
}

async function lintPackage(tarball: string): Promise<Result> {
  const bytes = Uint8Array.from(readFileSync(tarball));
  const { messages } = await publint({ pack: { tarball: bytes.buffer }, strict: true });
  const lines = messages.map((message) => formatMessage(message, manifest) ?? message.code);
  return { ok: messages.length === 0, output: lines.join("\n") };
}

async function packAndInstall(): Promise<boolean> {
  const env = environment(dirname(process.execPath));
  const pack = run("npm", ["pack", "--pack-destination", scratch], env, root, 60);
  if (!check("npm pack", pack)) return false;
  const tarball = readdirSync(scratch).find((name) => name.endsWith(".tgz")) ?? "missing.tgz";
  check("publint", await lintPackage(join(scratch, tarball)));
  mkdirSync(consumer);
  // What is a person's to do needs no terminal here.
  mkdirSync(join(scratch, ".cadre"));
  writeFileSync(join(scratch, ".cadre", "config.yml"), "security: { person_without_terminal: true }\n");
  writeFileSync(join(consumer, "package.json"), JSON.stringify({ name: "consumer", private: true, type: "module" }));
  const args = ["install", "--no-audit", "--no-fund", join(scratch, tarball)];
  return check("npm install of the tarball", run("npm", args, env, consumer, 180));
}

function checkTypes(): void {
  writeFileSync(join(consumer, "program.ts"), program);
  symlinkSync(`${root}node_modules/@types`, join(consumer, "node_modules", "@types"));
  const flags = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2024", "--types", "node"];
  const args = [compiler, ...flags, "program.ts"];
  check("types of the package", run(process.execPath, args, environment(dirname(process.execPath)), consumer, 120));
}

const LOADED_LATER: readonly (readonly [args: readonly string[], pattern: RegExp])[] = [
  [["agents", "check"], /^\d+ agents checked, 0 problems$/],
  [["agents", "export", "Explore", "--to", "opencode"], /^description: /],
  [["connect", "opencode", "--dry"], /would be written/],
  [["tools", "list"], /^No tools/],
  [["memory", "list"], /./],
  [["doctor"], /^ok +node /],
];

function checkOn(major: number, node: string): void {
  const label = `node ${major}`;
  if (!existsSync(node)) {
    const output = "this Node is not installed\nhint: run `npm ci --prefix .ci/node22`.";
    check(label, { ok: false, output });
    return;
  }
  const env = environment(dirname(node));
  const cadre = join(consumer, "node_modules", ".bin", "cadre");
  const call = (args: readonly string[], seconds: number): Result => run(cadre, args, env, consumer, seconds);
  const exactVersion = new RegExp(`^${manifest.version.replaceAll(".", String.raw`\.`)}$`);
  check(`${label}: the runtime`, matching(run("node", ["--version"], env, consumer, 30), new RegExp(`^v${major}\\.`)));
  check(`${label}: cadre --version`, matching(call(["--version"], 30), exactVersion));
  check(`${label}: cadre --help`, call(["--help"], 30));
  check(`${label}: cadre demo`, matching(call(["demo"], 120), /completed/));
  // Each loads code that the others do not: what the bundler has done to it shows only then.
  for (const [args, pattern] of LOADED_LATER)
    check(`${label}: cadre ${args.join(" ")}`, matching(call(args, 30), pattern));
  const script = program.replace(": unknown[]", "");
  check(`${label}: the three entries`, run("node", ["--input-type=module", "-e", script], env, consumer, 30));
}

try {
  if (await packAndInstall()) {
    checkTypes();
    checkOn(22, `${root}.ci/node22/node_modules/.bin/node`);
    checkOn(24, process.execPath);
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
console.log(`smoke: ${counts.passed} passed, ${counts.failed} failed`);
process.exitCode = counts.failed === 0 ? 0 : 1;
