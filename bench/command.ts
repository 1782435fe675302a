// A program that does nothing, as a task: what the queue, the log, the files and custody cost over starting it.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Cadre, openCadre } from "../src/app/index.ts";
import { openCustody } from "../src/custody/index.ts";
import type { Custody } from "../src/ports/index.ts";
import { brandId } from "../src/schema/index.ts";
import { interleaved, median, type Row, timed } from "./measure.ts";

const WIDTH = 10;
const ROUNDS = 4;
/** Longer than making a namespace ahead takes. How quick they are in a row is the row of 1,000. */
const PAUSE_MS = 20;
const ENV = { PATH: process.env["PATH"] ?? "" };
const NOOP = { name: "noop", description: "does nothing", permission_mode: "auto", command: ["true"] } as const;

/** What the operating system is asked to enforce has a price of its own, and a row of its own. */
function open(confinement: "off" | "best"): Promise<Cadre> {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), "cadre-bench-")));
  mkdirSync(join(cwd, ".cadre"), { mode: 0o700 });
  writeFileSync(join(cwd, ".cadre", "config.yml"), `security:\n  confinement: ${confinement}\n`);
  const settings = { maxConcurrent: WIDTH, rateLimitPerMin: 1_000_000 };
  return openCadre({
    home: join(cwd, ".cadre"),
    cwd,
    userHome: cwd,
    env: ENV,
    agents: [{ ...NOOP, command: [...NOOP.command] }],
    settings,
  });
}

const bareSpawn = () =>
  new Promise<void>((resolve, reject) => {
    spawn("true", [], { env: ENV, stdio: "pipe" })
      .on("close", () => resolve())
      .on("error", reject);
  });

async function keptSpawn(custody: Custody): Promise<void> {
  const keep = custody.open({ worker: brandId("work", "bench"), task: brandId("task", "bench"), attempt: 1 });
  const kept = keep.spawn({ file: "true", args: [], cwd: tmpdir(), env: ENV });
  kept.endInput();
  await Promise.all([drain(kept.stdout), drain(kept.stderr), kept.exited]);
  await keep.endAll();
}

async function drain(stream: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _chunk of stream);
}

async function one(): Promise<Row[]> {
  await using cadre = await open("off");
  await using confining = await open("best");
  const custody = await openCustody();
  const samples = await interleaved(
    [
      { name: "bare", sample: () => timed(bareSpawn) },
      { name: "kept", sample: () => timed(() => keptSpawn(custody)) },
      { name: "task", sample: () => timed(() => cadre.run({ agent: "noop", prompt: "go" })) },
      { name: "confined", sample: () => timed(() => confining.run({ agent: "noop", prompt: "go" })) },
    ],
    200,
    PAUSE_MS,
  );
  const of = (name: string) => median(samples.get(name) ?? []);
  const over = of("task") - of("bare");
  return [
    {
      what: "a program that does nothing, queue to result, over a bare spawn (median of 200)",
      measured: `${over.toFixed(1)} ms (${of("task").toFixed(1)} against ${of("bare").toFixed(1)}; custody at the tier \`${custody.tier}\` alone ${(of("kept") - of("bare")).toFixed(1)})`,
      wanted: "at most 8 ms",
      holds: over <= 8,
    },
    {
      what: "the same, confined by the operating system where that can be done",
      measured: `${(of("confined") - of("bare")).toFixed(1)} ms (${of("confined").toFixed(1)})`,
      wanted: "reported",
      holds: undefined,
    },
  ];
}

async function pool(count: number, work: () => Promise<void>): Promise<void> {
  let left = count;
  await Promise.all(
    Array.from({ length: WIDTH }, async () => {
      while (left-- > 0) await work();
    }),
  );
}

/** What the work keeps this process busy for, in milliseconds of a processor; what it starts is not in it. */
function busyWith(work: () => Promise<void>): { readonly run: () => Promise<void>; readonly ms: () => number } {
  let ms = 0;
  const run = async () => {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    ms += (user + system) / 1000;
  };
  return { run, ms: () => ms };
}

async function many(): Promise<Row[]> {
  const count = 1000;
  await using cadre = await open("off");
  const start = () => cadre.start({ agent: "noop", prompt: "go" });
  const bare = busyWith(() => pool(count / ROUNDS, bareSpawn));
  const ours = busyWith(async () => {
    await Promise.all(Array.from({ length: count / ROUNDS }, start));
    await cadre.work();
  });
  const samples = await interleaved(
    [
      { name: "bare", sample: () => timed(bare.run) },
      { name: "ours", sample: () => timed(ours.run) },
    ],
    ROUNDS,
  );
  const sum = (name: string) => (samples.get(name) ?? []).reduce((all, ms) => all + ms, 0);
  const [bareMs, oursMs] = [sum("bare"), sum("ours")];
  const { tasks } = await cadre.call("task.list", { status: ["completed"], limit: 1000 });
  if (tasks.length !== count) throw new Error(`${tasks.length} of ${count} completed`);
  return [
    {
      what: "1,000 of them, against a bare promise pool of the same width",
      measured: `${(oursMs / bareMs).toFixed(2)} times (${(oursMs / 1000).toFixed(1)} s against ${(bareMs / 1000).toFixed(1)} s)`,
      wanted: "at most 3 times",
      holds: oursMs / bareMs <= 3,
    },
    {
      what: "processor time of Node itself for each of them",
      measured: `${(ours.ms() / count).toFixed(1)} ms, of which a bare spawn has ${(bare.ms() / count).toFixed(1)} as well`,
      wanted: "reported",
      holds: undefined,
    },
  ];
}

export const commandRows = async (): Promise<Row[]> => [...(await one()), ...(await many())];
