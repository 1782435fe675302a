// Runs the tests of the real hosts where nothing but loopback can be reached. `long` as the first word is the one run
// of twenty minutes instead. CADRE_HOSTS has the names of some of them; what is missing is installed first.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { folderOf, isInstalled } from "../programs.ts";
import { HOSTS } from "./hosts.ts";

const here = fileURLToPath(new URL(".", import.meta.url));
const root = fileURLToPath(new URL("../../..", import.meta.url));
const INSTALL_MS = 240_000;

const wish = process.env["CADRE_HOSTS"]?.split(",");
const wanted = HOSTS.filter((host) => wish?.includes(host) ?? true);
for (const host of wanted.filter((one) => !isInstalled(one))) {
  console.error(`installing ${host}`);
  const options = { cwd: folderOf(host), stdio: "inherit", timeout: INSTALL_MS } as const;
  spawnSync("npm", ["ci", "--no-audit", "--no-fund"], options);
}
const tried = wanted.filter(isInstalled);
const missing = wanted.filter((host) => !isInstalled(host));

const [first, ...rest] = process.argv.slice(2);
const vitest = [join(root, "node_modules/vitest/vitest.mjs"), "run", "--config", join(here, "vitest.config.ts")];
const what =
  first === "long" ? [join(here, "long-run.ts"), ...rest] : [...vitest, "--root", root, ...process.argv.slice(2)];

const home = mkdtempSync(join(tmpdir(), "cadre-hosts-home-"));
try {
  if (tried.length > 0) process.exitCode = alone([process.execPath, ...what]);
} finally {
  rmSync(home, { recursive: true, force: true });
  console.log(`hosts: tried ${tried.join(", ") || "none"}`);
  for (const host of missing) console.log(`hosts: not tried: ${host} (it could not be installed)`);
}
// One that was asked for, and is not there, is a failure.
if (missing.length > 0) process.exitCode = 1;

/** In a network of its own, and an environment with nothing in it that could be a key. */
function alone(command: readonly string[]): number {
  const [file, ...own] = process.getuid?.() === 0 ? ["unshare", "-n"] : ["unshare", "-U", "-r", "-n"];
  const inside = ["sh", "-c", 'ip link set lo up && exec "$@"', "sh", ...command];
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, LANG: "C.UTF-8", CADRE_HOSTS: tried.join() };
  const { status, error } = spawnSync(file ?? "", [...own, ...inside], { cwd: root, stdio: "inherit", env });
  if (error !== undefined) console.error(`unshare: ${error.message}`);
  return status ?? 1;
}
