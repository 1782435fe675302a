// npm run bench: prints the table that docs/benchmarks.md keeps. Ratios of one run, never a timed test.
import { cliRows } from "./clis.ts";
import { coldStartRows } from "./cold-start.ts";
import { commandRows } from "./command.ts";
import { confinementRows } from "./confinement.ts";
import { egressRows } from "./egress.ts";
import { loopRows } from "./loop/rows.ts";
import { definitionRows } from "./definitions.ts";
import { mcpRows } from "./mcp.ts";
import { type Row, table } from "./measure.ts";
import { storeRows } from "./store.ts";
import { worktreeRows } from "./worktree.ts";

const PARTS: Readonly<Record<string, () => Promise<Row[]>>> = {
  "cold-start": coldStartRows,
  store: storeRows,
  command: commandRows,
  clis: cliRows,
  definitions: definitionRows,
  confinement: confinementRows,
  egress: egressRows,
  worktree: worktreeRows,
  loop: loopRows,
  mcp: mcpRows,
};

const wanted = process.argv.slice(2);
const rows: Row[] = [];
for (const [name, measure] of Object.entries(PARTS)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  process.stderr.write(`${name} …\n`);
  rows.push(...(await measure()));
}
process.stdout.write(`Node ${process.version}, ${process.platform} ${process.arch}\n\n${table(rows)}\n`);
