// How long the command line takes to answer, against Node that does nothing. Needs the build.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { systemClock } from "../src/platform/system-clock.ts";
import { sqliteStore } from "../src/stores/sqlite/sqlite-store.ts";
import { admission } from "../src/testing/store-contract/given.ts";
import { fakeMint } from "../src/testing/index.ts";
import { interleaved, median, type Row, timed } from "./measure.ts";

const MAIN = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));
const ROUNDS = 25;

async function project(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "cadre-bench-"));
  mkdirSync(join(folder, ".cadre"));
  const store = await sqliteStore(join(folder, ".cadre", "cadre.db"), systemClock, fakeMint());
  await store.admit(Array.from({ length: 100 }, () => admission()));
  await store.close();
  return folder;
}

export async function coldStartRows(): Promise<Row[]> {
  const cwd = await project();
  // NODE_EXTRA_CA_CERTS alone can cost more than all of this: it is not part of what is measured.
  const env = { PATH: process.env["PATH"] ?? "", HOME: cwd };
  const run = (...args: string[]) =>
    timed(() => {
      const { status, stderr } = spawnSync(process.execPath, args, { cwd, env, encoding: "utf8" });
      if (status !== 0) throw new Error(`${args.join(" ")}: ${stderr}`);
    });
  const samples = await interleaved(
    [
      { name: "node", sample: () => run("-e", "0") },
      { name: "version", sample: () => run(MAIN, "--version") },
      { name: "status", sample: () => run(MAIN, "status") },
    ],
    ROUNDS,
  );
  const of = (name: string) => median(samples.get(name) ?? []);
  const row = (name: string, what: string, limit: number): Row => ({
    what,
    measured: `${(of(name) / of("node")).toFixed(2)} times (${of(name).toFixed(0)} ms against ${of("node").toFixed(0)} ms)`,
    wanted: `at most ${limit} times`,
    holds: of(name) / of("node") <= limit,
  });
  return [
    row("version", "`cadre --version`, against `node -e 0`", 1.5),
    row("status", "`cadre status` on 100 tasks, against `node -e 0`", 2.5),
  ];
}
