// Our own agent loop against others: what durability, policy and budgets cost over loops that keep nothing.
import { existsSync } from "node:fs";
import { interleaved, median, type Row } from "../measure.ts";
import { ScriptedModel } from "./scripted-model.ts";
import { SideProcess, type Work } from "./side.ts";

/** The first runs of each side are not measured: they load and compile. */
const WARM_UPS = 15;
/** Two processes of one program differ by as much as two sides: the row is measured with so many of each, one after the other. */
const STARTS = 5;
/** Longer than ours puts anything off: no side pays for what another one still has to do. */
const PAUSE_MS = 300;

const RIVALS = [
  { name: "@openai/agents", file: "openai-agents.mjs" },
  { name: "deepagents", file: "deepagents.mjs" },
] as const;

export async function loopRows(): Promise<Row[]> {
  await using model = await ScriptedModel.start();
  return [await leadAndWorkers(model), ...(await thousand(model)), await perTurn(model)];
}

type Files = Readonly<Record<string, string>>;

interface Rounds {
  readonly rounds: number;
  readonly warmUps: number;
  readonly pauseMs?: number;
  readonly starts?: number;
}

/** The median of each side, in milliseconds. */
async function medians(files: Files, work: Work, { starts = 1, ...rounds }: Rounds): Promise<Map<string, number>> {
  const all = new Map<string, number[]>();
  for (let start = 0; start < starts; start++) {
    for (const [name, values] of await samplesOf(files, work, rounds))
      all.set(name, [...(all.get(name) ?? []), ...values]);
  }
  return new Map([...all].map(([name, values]) => [name, median(values)]));
}

async function samplesOf(
  files: Files,
  work: Work,
  { rounds, warmUps, pauseMs }: Rounds,
): Promise<ReadonlyMap<string, readonly number[]>> {
  await using sides = new AsyncDisposableStack();
  const asked = Object.entries(files).map(([name, file]) => {
    const side = sides.use(new SideProcess(file));
    return { name, sample: () => side.ask("run", work) };
  });
  await interleaved(asked, warmUps);
  return await interleaved(asked, rounds, pauseMs); // they are stopped when this returns
}

const OURS = "cadre.ts";
const BARE = "ai-sdk.ts";

const isInstalled = (name: string): boolean =>
  existsSync(new URL(`node_modules/${name}/package.json`, import.meta.url));

async function leadAndWorkers(model: ScriptedModel): Promise<Row> {
  const what = "one lead and ten workers, a model without latency, against the faster of two that keep nothing";
  const wanted = "at most 1 times";
  const missing = RIVALS.filter(({ name }) => !isInstalled(name)).map(({ name }) => name);
  if (missing.length > 0) {
    const measured = `not measured: ${missing.join(" and ")} not installed (npm install --prefix bench/loop)`;
    return { what, measured, wanted, holds: undefined };
  }
  const files = { ours: OURS, ...Object.fromEntries(RIVALS.map(({ name, file }) => [name, file])) };
  const work = { model: model.after(0), prompt: "lead 10 1", count: 1 };
  const found = await medians(files, work, { rounds: 30, warmUps: WARM_UPS, pauseMs: PAUSE_MS, starts: STARTS });
  const ours = found.get("ours") ?? 0;
  const others = RIVALS.map(({ name }) => ({ name, ms: found.get(name) ?? 0 }));
  const ratio = ours / Math.min(...others.map(({ ms }) => ms));
  const shown = others.map(({ name, ms }) => `${name} ${ms.toFixed(0)} ms`).join(", ");
  return { what, measured: `${ratio.toFixed(2)} times (${ours.toFixed(0)} ms; ${shown})`, wanted, holds: ratio <= 1 };
}

async function thousand(model: ScriptedModel): Promise<Row[]> {
  const work = { model: model.after(200), prompt: "work 2", count: 1000 };
  const found = await medians({ ours: OURS, bare: BARE }, work, { rounds: 3, warmUps: 1 });
  const [ours, bare] = [found.get("ours") ?? 0, found.get("bare") ?? 0];
  const weights = { ours: await weightOf(OURS, model), bare: await weightOf(BARE, model) };
  return [
    {
      what: "1,000 agents of three turns at once, a model of 200 ms, against 1,000 bare AI SDK loops",
      measured: `${(ours / bare).toFixed(2)} times (${seconds(ours)} against ${seconds(bare)})`,
      wanted: "at most 1.3 times",
      holds: ours / bare <= 1.3,
    },
    {
      what: "heap of each of them while it waits for the model, above the bare loop's",
      measured: `${kilobytes(weights.ours - weights.bare)} KB (${kilobytes(weights.ours)} against ${kilobytes(weights.bare)})`,
      wanted: "reported",
      holds: undefined,
    },
  ];
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
const kilobytes = (bytes: number): string => (bytes / 1024).toFixed(0);

async function weightOf(file: string, model: ScriptedModel): Promise<number> {
  await using side = new SideProcess(file);
  const work = { model: model.after(0), prompt: "work 0", count: 1000 };
  await side.ask("run", { ...work, count: 10 });
  return (await side.ask("weigh", work)) / work.count;
}

async function perTurn(model: ScriptedModel): Promise<Row> {
  const turns = 10;
  const work = { model: model.after(0), prompt: `work ${turns - 1}`, count: 1 };
  const found = await medians({ ours: OURS, bare: BARE }, work, { rounds: 50, warmUps: WARM_UPS });
  const [ours, bare] = [(found.get("ours") ?? 0) / turns, (found.get("bare") ?? 0) / turns];
  return {
    what: "a turn of a ten-turn agent with a tool, over a turn of a bare AI SDK loop (median of 50)",
    measured: `${(ours - bare).toFixed(1)} ms (${ours.toFixed(1)} against ${bare.toFixed(1)})`,
    wanted: "at most 3 ms",
    holds: ours - bare <= 3,
  };
}
