// Agent files: what finding agents costs over reading and parsing their files bare, and many over few once known.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "yaml";
import { fileRegistry, trustFile } from "../src/definitions/index.ts";
import { systemClock } from "../src/platform/system-clock.ts";
import type { Registry } from "../src/ports/index.ts";
import { interleaved, median, type Row, timed } from "./measure.ts";

const folder = mkdtempSync(join(tmpdir(), "cadre-bench-definitions-"));

const agent = (n: number): string => `---
name: agent-${n}
description: Reviews part ${n} of a change and says what is wrong with it
tools: [Read, Glob, Grep, "Bash(git diff *)"]
permission_mode: plan
max_turns: ${10 + (n % 40)}
inputs:
  - { name: target, description: What to read, default: src }
output:
  schema:
    type: object
    required: [findings]
    properties:
      findings: { type: array, items: { type: string } }
---

You review \${target}, number ${n}. You change nothing.

${"Read the whole change, then enough around it to judge it. Report only what you can show to go wrong.\n".repeat(8)}`;

/** A project with that many agents, trusted and seen, as a user has it. */
async function project(count: number): Promise<{ agents: string; open: () => Registry }> {
  const root = join(folder, `project-${count}`);
  const agents = join(root, "agents");
  mkdirSync(agents, { recursive: true });
  for (let n = 0; n < count; n++) writeFileSync(join(agents, `agent-${n}.md`), agent(n));
  const trust = trustFile(join(folder, `trust-${count}.json`), systemClock);
  await trust.grant(root);
  const open = () => fileRegistry({ trust, layers: [{ folder: agents, label: "project", trustRoot: root }] });
  const listed = await open().list();
  await trust.pin(
    root,
    listed.agents.flatMap(({ pin }) => (pin === undefined ? [] : [pin])),
  );
  return { agents, open };
}

/** What nobody can do without: each file's text, and its settings as a value. */
function readBare(agents: string): void {
  for (const name of readdirSync(agents)) {
    const text = readFileSync(join(agents, name), "utf8");
    parse(text.slice(4, text.indexOf("\n---\n", 4)));
  }
}

async function cold(): Promise<Row> {
  const { agents, open } = await project(1_000);
  const samples = await interleaved(
    [
      { name: "bare", sample: () => timed(() => readBare(agents)) },
      { name: "ours", sample: () => timed(() => open().list()) },
    ],
    15,
  );
  const [bareMs, oursMs] = [median(samples.get("bare") ?? []), median(samples.get("ours") ?? [])];
  return {
    what: "1,000 agents for the first time, over reading and YAML-parsing their files bare",
    measured: `${(oursMs / bareMs).toFixed(2)} times (${oursMs.toFixed(0)} ms against ${bareMs.toFixed(0)} ms)`,
    wanted: "at most 3 times",
    holds: oursMs <= 3 * bareMs,
  };
}

async function warm(): Promise<Row> {
  const few = (await project(10)).open();
  const many = (await project(1_000)).open();
  await Promise.all([few.list(), many.list()]);
  const samples = await interleaved(
    [
      { name: "few", sample: () => timed(() => few.list()) },
      { name: "many", sample: () => timed(() => many.list()) },
    ],
    40,
  );
  const [fewMs, manyMs] = [median(samples.get("few") ?? []), median(samples.get("many") ?? [])];
  return {
    what: "list of 1,000 agents that are known already, over that of 10",
    measured: `${(manyMs - fewMs).toFixed(2)} ms (${manyMs.toFixed(2)} against ${fewMs.toFixed(2)})`,
    wanted: "at most 20 ms",
    holds: manyMs - fewMs <= 20,
  };
}

export const definitionRows = async (): Promise<Row[]> => [await cold(), await warm()];
