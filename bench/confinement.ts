// A program that does nothing, confined: what the sandbox costs over starting it bare, and over custody alone.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bubblewrapConfinement } from "../src/confinement/bubblewrap/bubblewrap-confinement.ts";
import { landlockConfinement } from "../src/confinement/landlock/landlock-confinement.ts";
import { nothingConfines } from "../src/confinement/none/nothing-confines.ts";
import { openCustody } from "../src/custody/index.ts";
import { BASELINE } from "../src/domain/policy.ts";
import type { Command, ConfinementWish, Keep } from "../src/ports/index.ts";
import { brandId } from "../src/schema/index.ts";
import { interleaved, median, type Row, timed } from "./measure.ts";

const ROUNDS = 200;
const WANTED_MS = 15;
/** Longer than making a namespace ahead takes. */
const PAUSE_MS = 20;

const bare = ({ file, args, env }: Command) =>
  new Promise<void>((resolve, reject) => {
    spawn(file, args, { env: { ...env }, stdio: "pipe" })
      .on("close", () => resolve())
      .on("error", reject);
  });

async function kept(keep: Keep, command: Command): Promise<void> {
  const program = keep.spawn(command);
  program.endInput();
  await Promise.all([drain(program.stdout), drain(program.stderr), program.exited]);
}

async function drain(stream: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _chunk of stream);
}

export async function confinementRows(): Promise<Row[]> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "cadre-bench-")));
  const home = join(root, ".cadre");
  mkdirSync(join(home, "workspace"), { recursive: true });
  const custody = await openCustody();
  const keep = custody.open({ worker: brandId("work", "bench"), task: brandId("task", "bench"), attempt: 1 });
  const options = { setting: "best", home, homes: [], programs: [process.execPath], privateHosts: [] } as const;
  const wish: ConfinementWish = {
    task: brandId("task", "bench"),
    policy: { ...BASELINE, fs: { read: ["."], write: ["."] } },
    workspace: { root, base: root, reads: [] },
    own: { plan: join(home, "plan.md"), folder: join(home, "workspace"), scopes: [] },
    keep,
    custody: custody.tier,
    onRefused: () => undefined,
    carriesSecret: () => false,
    isOwnTree: false,
    warn: () => undefined,
  };
  const confined = await bubblewrapConfinement(options).prepare(wish);
  const otherwise = nothingConfines("best");
  const byLandlock = await landlockConfinement({ ...options, why: "none is asked for", otherwise }).prepare(wish);
  try {
    const command = { file: "true", args: [], cwd: root, env: { PATH: process.env["PATH"] ?? "" } };
    const samples = await interleaved(
      [
        { name: "bare", sample: () => timed(() => bare(command)) },
        { name: "kept", sample: () => timed(() => kept(keep, command)) },
        { name: "confined", sample: () => timed(() => kept(keep, confined.wrap(command))) },
        { name: "landlock", sample: () => timed(() => kept(keep, byLandlock.wrap(command))) },
      ],
      ROUNDS,
      PAUSE_MS,
    );
    const of = (name: string) => median(samples.get(name) ?? []);
    const over = of("confined") - of("bare");
    const alone = (of("confined") - of("kept")).toFixed(1);
    return [
      {
        what: `\`true\` in its sandbox, over a bare one (median of ${ROUNDS})`,
        measured: `${over.toFixed(1)} ms (${of("confined").toFixed(1)} against ${of("bare").toFixed(1)}; the sandbox alone ${alone}; label \`${confined.label.commands}\`)`,
        wanted: `at most ${WANTED_MS} ms`,
        holds: confined.label.commands === "os" ? over <= WANTED_MS : undefined,
      },
      {
        what: `\`true\` without bubblewrap, held by Landlock, over a bare one (median of ${ROUNDS})`,
        measured: `${(of("landlock") - of("bare")).toFixed(1)} ms (label \`${byLandlock.label.commands}\`)`,
        wanted: "reported",
        holds: undefined,
      },
    ];
  } finally {
    await keep.endAll();
    await confined.release();
    await byLandlock.release();
  }
}
