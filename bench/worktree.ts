// A worktree of a large repository, as an attempt gets it, against git alone. And claims, while many tasks wait for
// one that writes.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../src/platform/system-clock.ts";
import { brandId, type TaskView } from "../src/schema/index.ts";
import { sqliteStore } from "../src/stores/sqlite/sqlite-store.ts";
import { admission, admitted, claimed, claimRequest, completed } from "../src/testing/store-contract/given.ts";
import { fakeMint } from "../src/testing/index.ts";
import { OwnTrees } from "../src/workspaces/trees/own-trees.ts";
import { interleaved, median, type Row, timed } from "./measure.ts";

const FILES = 10_000;
const PER_FOLDER = 100;
const ROUNDS = 9;

function largeRepository(): string {
  const project = realpathSync(mkdtempSync(join(tmpdir(), "cadre-bench-")));
  for (let file = 0; file < FILES; file++) {
    const folder = join(project, `folder-${Math.floor(file / PER_FOLDER)}`);
    if (file % PER_FOLDER === 0) mkdirSync(folder);
    writeFileSync(join(folder, `file-${file}.txt`), `${file} `.repeat(600));
  }
  git(project, "init", "--quiet");
  git(project, "add", "--all");
  git(project, "-c", "user.name=b", "-c", "user.email=b@b", "commit", "--quiet", "--message=all");
  return project;
}

const git = (cwd: string, ...args: string[]): void => void execFileSync("git", args, { cwd, stdio: "ignore" });

/** Only what a workspace looks at. */
const task = (round: number): TaskView =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- no store is needed for this
  ({
    id: brandId("task", `bench${round}`),
    number: round,
    spec: {
      definition: { name: "bench" },
      session: brandId("sess", `bench${round}`),
      workspace: { mode: "worktree", allow_writes: true },
    },
  }) as TaskView;

async function worktrees(): Promise<Row> {
  const project = largeRepository();
  const trees = new OwnTrees({ project, home: join(project, ".cadre") });
  let round = 0;
  const bare = async (): Promise<number> => {
    const path = join(project, ".bare", String(++round));
    const ms = await timed(() => git(project, "worktree", "add", "--quiet", "-b", `bare-${round}`, path));
    git(project, "worktree", "remove", "--force", path);
    return ms;
  };
  const ours = async (): Promise<number> => {
    const start = performance.now();
    const workspace = await trees.prepare(task(++round), "worktree");
    const ms = performance.now() - start;
    await workspace.release();
    return ms;
  };
  const samples = await interleaved(
    [
      { name: "bare", sample: bare },
      { name: "ours", sample: ours },
    ],
    ROUNDS,
  );
  const [bareMs, oursMs] = [median(samples.get("bare") ?? []), median(samples.get("ours") ?? [])];
  return {
    what: `a worktree of ${FILES.toLocaleString("en")} files, against bare \`git worktree add\` (median of ${ROUNDS})`,
    measured: `${(oursMs / bareMs).toFixed(2)} times (${oursMs.toFixed(0)} ms against ${bareMs.toFixed(0)} ms)`,
    wanted: "at most 1.2 times",
    holds: oursMs / bareMs <= 1.2,
  };
}

async function claims(): Promise<Row> {
  const folder = mkdtempSync(join(tmpdir(), "cadre-bench-"));
  const writes = { place: "project", scopes: ["."] };
  await using stores = new AsyncDisposableStack();
  const claimsWith = async (name: string, waiting: number): Promise<() => Promise<number>> => {
    const store = await sqliteStore(join(folder, `${name}.db`), systemClock, fakeMint());
    stores.defer(() => store.close());
    await admitted(store, { writes });
    await claimed(store);
    for (let left = waiting; left > 0; left -= 500)
      await store.admit(Array.from({ length: 500 }, () => admission({ writes, priority: 1 })));
    return async () => {
      await admitted(store);
      const start = performance.now();
      const answer = await store.claim(claimRequest({ maxConcurrent: 1_000_000, rateLimitPerMin: 1_000_000 }));
      const ms = performance.now() - start;
      const [claim] = answer.kind === "claimed" ? answer.claims : [];
      if (claim === undefined) throw new Error(`not claimed: ${answer.kind}`);
      await store.append(claim.hold, [{ type: "task.ended", outcome: completed }]);
      return ms;
    };
  };
  const sides = [
    { name: "none", sample: await claimsWith("none", 0) },
    { name: "many", sample: await claimsWith("many", FILES) },
  ];
  const samples = await interleaved(sides, 200);
  const [none, many] = [median(samples.get("none") ?? []), median(samples.get("many") ?? [])];
  return {
    what: `a claim while ${FILES.toLocaleString("en")} tasks wait for one that writes, against none that waits`,
    measured: `${(many / none).toFixed(2)} times (${many.toFixed(2)} ms against ${none.toFixed(2)} ms)`,
    wanted: "at most 1.5 times",
    holds: many / none <= 1.5,
  };
}

export const worktreeRows = async (): Promise<Row[]> => [await worktrees(), await claims()];
