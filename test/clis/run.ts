// Runs the tests of the real CLIs where nothing but loopback can be reached: a network of their own, and an environment
// with nothing in it that could be a key. Installs them first, into this folder, where they are not there yet.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const root = fileURLToPath(new URL("../..", import.meta.url));
const record = process.env["CADRE_RECORD"] === undefined ? {} : { CADRE_RECORD: process.env["CADRE_RECORD"] };
const PATH = process.env["PATH"] ?? "";

function run(file: string, args: readonly string[], options: { cwd: string; env?: Record<string, string> }): boolean {
  const { status, error } = spawnSync(file, args, { stdio: "inherit", ...options });
  if (error !== undefined) console.error(`${file}: ${error.message}`);
  if (status !== 0) process.exitCode = status ?? 1;
  return status === 0;
}

if (!existsSync(join(here, "node_modules", ".bin", "claude"))) {
  console.error("installing the CLIs (about 900 MB)");
  if (!run("npm", ["ci", "--no-audit", "--no-fund"], { cwd: here })) process.exit();
}

const home = mkdtempSync(join(tmpdir(), "cadre-clis-home-"));
try {
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
  const tests = [process.execPath, vitest, "run", "--config", join(here, "vitest.config.ts"), "--root", root];
  const own = process.getuid?.() === 0 ? ["-n"] : ["-U", "-r", "-n"];
  const inside = ["sh", "-c", 'ip link set lo up && exec "$@"', "sh", ...tests, ...process.argv.slice(2)];
  run("unshare", [...own, ...inside], { cwd: root, env: { PATH, HOME: home, LANG: "C.UTF-8", ...record } });
} finally {
  rmSync(home, { recursive: true, force: true });
}
