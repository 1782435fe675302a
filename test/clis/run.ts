// Runs the tests of the real CLIs where nothing but loopback can be reached: a network of their own, and an environment
// with nothing in it that could be a key. Installs them first, each into its folder, where it is not there yet.
//
// CADRE_CLIS: `all` (the default), `ci` (codex and goose; the others where they are installed already), or names.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { folderOf, isInstalled, type Program, PROGRAMS } from "./programs.ts";

const here = fileURLToPath(new URL(".", import.meta.url));
const root = fileURLToPath(new URL("../..", import.meta.url));
const record = process.env["CADRE_RECORD"] === undefined ? {} : { CADRE_RECORD: process.env["CADRE_RECORD"] };
const PATH = process.env["PATH"] ?? "";
const INSTALL_MS = 240_000;
const EVERY_TIME: readonly Program[] = ["codex", "goose"];

const wish = process.env["CADRE_CLIS"] ?? "all";
const wanted = PROGRAMS.filter(
  (program) =>
    wish === "all" ||
    (wish === "ci" ? EVERY_TIME.includes(program) || isInstalled(program) : wish.split(",").includes(program)),
);

/** Why each that is not tried is not. */
const left = new Map<Program, string>(
  PROGRAMS.filter((program) => !wanted.includes(program)).map((program) => [
    program,
    wish === "ci" ? `not installed in ${basename(here)}/programs; CADRE_CLIS=all installs it` : "not asked for",
  ]),
);

for (const program of wanted) {
  if (isInstalled(program)) continue;
  console.error(`installing ${program}`);
  const options = { cwd: folderOf(program), stdio: "inherit", timeout: INSTALL_MS } as const;
  // Not `npm ci`, which fails where a registry lacks what other platforms would need.
  const { status } = spawnSync("npm", ["install", "--no-save", "--no-audit", "--no-fund"], options);
  if (status !== 0 || !isInstalled(program)) left.set(program, `it could not be installed in ${INSTALL_MS / 1000} s`);
}

const tried = wanted.filter((program) => !left.has(program));
const home = mkdtempSync(join(tmpdir(), "cadre-clis-home-"));
try {
  if (tried.length > 0) process.exitCode = test(tried);
} finally {
  rmSync(home, { recursive: true, force: true });
  console.log(`clis: tried ${tried.join(", ") || "none"}`);
  for (const [program, why] of left) console.log(`clis: not tried: ${program} (${why})`);
}
// One that was asked for, and is not there, is a failure.
if (wanted.some((program) => left.has(program))) process.exitCode = 1;

function test(programs: readonly Program[]): number {
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
  const tests = [process.execPath, vitest, "run", "--config", join(here, "vitest.config.ts"), "--root", root];
  const [file, ...own] = process.getuid?.() === 0 ? ["unshare", "-n"] : ["unshare", "-U", "-r", "-n"];
  const inside = ["sh", "-c", 'ip link set lo up && exec "$@"', "sh", ...tests, ...process.argv.slice(2)];
  const env = { PATH, HOME: home, LANG: "C.UTF-8", CADRE_CLIS: programs.join(), ...record };
  const { status, error } = spawnSync(file ?? "", [...own, ...inside], { cwd: root, stdio: "inherit", env });
  if (error !== undefined) console.error(`unshare: ${error.message}`);
  return status ?? 1;
}
