#!/usr/bin/env node
// The command `cadre`. The cheapest question is answered before anything else is loaded.
import { enableCompileCache } from "node:module";
import { packageVersion } from "../app/version.ts";

const argv = process.argv.slice(2);
if (argv.length === 1 && (argv[0] === "--version" || argv[0] === "-V")) {
  process.stdout.write(`${packageVersion()}\n`);
} else {
  enableCompileCache(); // kept by Node beside its temporary files: starting again is quicker
  const { runCommandLine } = await import("./program.ts");
  const interrupted = new AbortController();
  process.on("SIGINT", () => {
    if (interrupted.signal.aborted) process.exit(130); // the second one forces
    interrupted.abort();
  });
  process.on("SIGTERM", () => interrupted.abort());
  const { stdin, stdout, stderr, env } = process;
  const args = argv.length === 0 ? ["--help"] : argv;
  process.exitCode = await runCommandLine(args, packageVersion(), { stdin, stdout, stderr, env }, interrupted.signal);
}
