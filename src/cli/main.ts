#!/usr/bin/env node
// The command `cadre`. The cheapest questions are answered before anything else is loaded: the version, whether
// this Node can run the rest at all, and how the tasks are doing.
import * as nodeModule from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";
import { packageVersion } from "../app/version.ts";

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const argv = process.argv.slice(2);
const unread = new AbortController();
const LEAVE_MS = 2_000;
if (argv.length === 1 && (argv[0] === "--version" || argv[0] === "-V")) {
  process.stdout.write(`${packageVersion()}\n`);
} else if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(`error: cadre needs Node 22.19 or newer, and this is ${process.version}\n`);
  process.stderr.write("hint: Install a newer Node, or run cadre with one: npx -p node@24 node $(command -v cadre)\n");
  process.exitCode = 3;
} else {
  // Node 22 calls its SQLite experimental, at every start. That is known here, and no news for a user.
  process.removeAllListeners("warning").on("warning", ({ name, message }) => {
    if (name !== "ExperimentalWarning" || !message.includes("SQLite")) process.stderr.write(`${name}: ${message}\n`);
  });
  process.stdout.on("error", notPrinted);
  process.stderr.on("error", () => unread.abort()); // talk that is lost changes nothing
  // Starting again is quicker. In a place that nobody else can write to: what lies there is run.
  nodeModule.enableCompileCache(join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "cadre", "compiled"));
  const exit = (await quickly()) ?? (await wholly());
  process.exitCode ??= exit; // unless what it had to say is lost
}

/** Whoever reads may stop reading (`| head`): that ends what is shown, not what is done. A full disk is no success. */
function notPrinted({ code, message }: NodeJS.ErrnoException): void {
  unread.abort();
  if (code === "EPIPE") return;
  process.exitCode = 3;
  process.stderr.write(`error: the result could not be printed: ${message}\n`);
  process.stderr.write("hint: See what it goes to: a disk may be full.\n");
}

function streams() {
  const { stdin, stdout, stderr, env } = process;
  return { stdin, stdout, stderr, env, unread: unread.signal };
}

async function quickly() {
  if (!argv.includes("status")) return undefined;
  const { quickStatus } = await import("./quick-status.ts");
  return quickStatus(argv, streams());
}

async function wholly() {
  const [{ runCommandLine }, { Unstored }] = await Promise.all([import("./program.ts"), import("./unstored.ts")]);
  const interrupted = new AbortController();
  const unstored = new Unstored();
  process.on("SIGINT", () => {
    // The second one forces. What was asked for by the first is kept all the same: nobody is to run it later.
    if (interrupted.signal.aborted) void unstored.stored(LEAVE_MS).then(() => process.exit(130));
    interrupted.abort();
  });
  process.on("SIGTERM", () => interrupted.abort());
  const args = argv.length === 0 ? ["--help"] : argv;
  return runCommandLine(args, packageVersion(), streams(), interrupted.signal, unstored);
}
