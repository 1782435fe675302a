// npm run bench: prints the table that docs/benchmarks.md keeps. Ratios of one run, never a timed test.
import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Row, table } from "./measure.ts";

/** Loaded when it is measured: some make a folder then, and no part should pay for another's code. */
const PARTS: Readonly<Record<string, () => Promise<Row[]>>> = {
  "cold-start": async () => (await import("./cold-start.ts")).coldStartRows(),
  store: async () => (await import("./store.ts")).storeRows(),
  command: async () => (await import("./command.ts")).commandRows(),
  clis: async () => (await import("./clis.ts")).cliRows(),
  definitions: async () => (await import("./definitions.ts")).definitionRows(),
  confinement: async () => (await import("./confinement.ts")).confinementRows(),
  egress: async () => (await import("./egress.ts")).egressRows(),
  worktree: async () => (await import("./worktree.ts")).worktreeRows(),
  loop: async () => (await import("./loop/rows.ts")).loopRows(),
  mcp: async () => (await import("./mcp.ts")).mcpRows(),
};

// All of them write into one folder, which is removed at the end and not before: ext4 looks at every file that was removed
// within the last minutes before it makes a new one, so whoever tidies up slows down who is next.
using folder = mkdtempDisposableSync(join(tmpdir(), "cadre-bench-"));
process.env["TMPDIR"] = folder.path;

const wanted = process.argv.slice(2);
const rows: Row[] = [];
for (const [name, measure] of Object.entries(PARTS)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  process.stderr.write(`${name} …\n`);
  rows.push(...(await measure()));
}
process.stdout.write(`Node ${process.version}, ${process.platform} ${process.arch}\n\n${table(rows)}\n`);
