// A program with a network that leads to the proxy only, over a bare one: with custody and the sandbox, as a task has it.
import { spawn } from "node:child_process";
import { mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bubblewrapConfinement } from "../src/confinement/bubblewrap/bubblewrap-confinement.ts";
import { openEgress } from "../src/confinement/egress/open-egress.ts";
import { openCustody } from "../src/custody/index.ts";
import { BASELINE } from "../src/domain/policy.ts";
import type { Command, Keep } from "../src/ports/index.ts";
import { brandId } from "../src/schema/index.ts";
import { interleaved, median, type Row, timed } from "./measure.ts";

const ROUNDS = 100;
const ENV = { PATH: process.env["PATH"] ?? "" };
const TRUE: Command = { file: "true", args: [], cwd: "/", env: ENV };

const bareSpawn = () =>
  new Promise<void>((resolve, reject) => {
    spawn(TRUE.file, [], { env: ENV, stdio: "pipe" })
      .on("close", () => resolve())
      .on("error", reject);
  });

async function keptSpawn(keep: Keep, command: Command): Promise<void> {
  const kept = keep.spawn(command);
  kept.endInput();
  await Promise.all([drain(kept.stdout), drain(kept.stderr), kept.exited]);
}

async function drain(stream: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _chunk of stream);
}

async function openAndLeave(): Promise<void> {
  const egress = await openEgress({
    network: true,
    privateHosts: [],
    onRefused: () => undefined,
    carriesSecret: () => false,
  });
  await egress.release();
}

export async function egressRows(): Promise<Row[]> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "cadre-bench-")));
  const home = join(root, ".cadre");
  const custody = await openCustody();
  const task = brandId("task", "bench");
  const keep = custody.open({ worker: brandId("work", "bench"), task, attempt: 1 });
  const confinement = bubblewrapConfinement({ setting: "required", home, homes: [], programs: [], privateHosts: [] });
  const wish = {
    task,
    policy: { ...BASELINE, network: true as const },
    workspace: { root, base: root, reads: [] },
    own: { plan: join(home, "plans", "plan.md"), folder: join(home, "workspace"), scopes: [] },
    keep,
    custody: custody.tier,
    onRefused: () => undefined,
    carriesSecret: () => false,
    isOwnTree: false,
    warn: () => undefined,
  };
  const confined = await confinement.prepare(wish);
  const samples = await interleaved(
    [
      { name: "bare", sample: () => timed(bareSpawn) },
      { name: "confined", sample: () => timed(() => keptSpawn(keep, confined.wrap(TRUE))) },
    ],
    ROUNDS,
  );
  const opened = await interleaved([{ name: "opening", sample: () => timed(openAndLeave) }], 10);
  await keep.endAll();
  await confined.release();
  const of = (name: string) => median(samples.get(name) ?? []);
  const over = of("confined") - of("bare");
  return [
    {
      what: `a confined program with a network through the proxy, over a bare one (median of ${ROUNDS})`,
      measured: `${over.toFixed(1)} ms (${of("confined").toFixed(1)} against ${of("bare").toFixed(1)})`,
      wanted: "at most 40 ms",
      holds: over <= 40,
    },
    {
      what: "making and leaving that network, once per attempt that has one (median of 10)",
      measured: `${median(opened.get("opening") ?? []).toFixed(1)} ms`,
      wanted: "",
      holds: undefined,
    },
  ];
}
