// What driving a CLI costs over running it: time, memory. A stub stands in for the CLI, which itself takes seconds.
import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openCadre } from "../src/app/index.ts";
import { ANSWERS, HANGS, stubCodex, type StubPlace } from "./clis/stub-codex.ts";
import { interleaved, median, type Row, timed } from "./measure.ts";

const ROUNDS = 200;
const HERE = fileURLToPath(new URL("clis/", import.meta.url));

const bare = (file: string, args: readonly string[], input: string, cwd: string, env: NodeJS.ProcessEnv) =>
  new Promise<void>((resolve, reject) => {
    const child = spawn(file, args, { env, cwd, stdio: "pipe" })
      .on("close", () => resolve())
      .on("error", reject);
    child.stdout.resume();
    child.stderr.resume();
    child.stdin.on("error", () => undefined).end(input);
  });

/** The middle of the differences, and where it lies in 95 of 100 cases: the order statistics around it. */
function difference(a: readonly number[], b: readonly number[]): { readonly middle: number; readonly text: string } {
  const all = a.map((value, index) => value - (b[index] ?? 0)).toSorted((x, y) => x - y);
  const spread = (1.96 * Math.sqrt(all.length)) / 2;
  const at = (rank: number) => all[Math.min(all.length - 1, Math.max(0, Math.round(rank)))] ?? 0;
  const [low, high] = [at(all.length / 2 - spread), at(all.length / 2 + spread)];
  const middle = median(all);
  return { middle, text: `${middle.toFixed(1)} ms (${low.toFixed(1)} to ${high.toFixed(1)})` };
}

async function overhead(name: string, { project, program, options }: StubPlace): Promise<Row> {
  await using cadre = await openCadre(options);
  const samples = await interleaved(
    [
      { name: "ours", sample: () => timed(() => cadre.run({ agent: "worker", prompt: "go" })) },
      { name: "bare", sample: () => timed(() => bare(program, ["exec"], "go", project, { ...options.env })) },
    ],
    ROUNDS,
  );
  const { text } = difference(samples.get("ours") ?? [], samples.get("bare") ?? []);
  return {
    what: `a CLI, over its bare stub, ${name} (${ROUNDS} pairs)`,
    measured: text,
    wanted: "-",
    holds: undefined,
  };
}

async function prompt(): Promise<Row> {
  const what = `an ACP prompt, against acpx on the same stub (${ROUNDS} pairs)`;
  const wanted = "at most a tenth";
  const acpx = join(HERE, "node_modules", ".bin", "acpx");
  if (!existsSync(acpx)) return { what, measured: "needs npm install --prefix bench/clis", wanted, holds: undefined };
  const { options, project } = stubCodex(ANSWERS, "off");
  const agent = ["sh", join(HERE, "stub-agent.sh")];
  const peer = {
    name: "peer",
    description: "A peer.",
    backend: "acp",
    command: agent,
    permission_mode: "auto",
  } as const;
  const open = { workspace: { allow_writes: true }, policy: { fs: { write: ["."] } } };
  await using cadre = await openCadre({ ...options, agents: [{ ...peer, ...open, command: agent }] });
  const env = { ...options.env, HOME: project };
  const args = ["--agent", agent.join(" "), "--cwd", project, "--approve-all", "--format", "quiet", "exec", "go"];
  const samples = await interleaved(
    [
      { name: "ours", sample: () => timed(() => cadre.run({ agent: "peer", prompt: "go" })) },
      { name: "acpx", sample: () => timed(() => bare(acpx, args, "", project, env)) },
    ],
    ROUNDS,
  );
  const [ours, theirs] = [median(samples.get("ours") ?? []), median(samples.get("acpx") ?? [])];
  const measured = `${(ours / theirs).toFixed(2)} times (${ours.toFixed(0)} ms against ${theirs.toFixed(0)} ms)`;
  return { what, measured, wanted, holds: ours / theirs <= 0.1 };
}

function memory(of: "many" | "stream", places: readonly StubPlace[], what: string, mostMb: number): Row {
  const args = [join(HERE, "memory.mjs"), of, ...places.map(({ options }) => JSON.stringify(options))];
  const { stdout, status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  const megabytes = Number(JSON.parse(stdout));
  return {
    what,
    measured: `${megabytes.toFixed(0)} MB`,
    wanted: `at most ${mostMb} MB`,
    holds: megabytes <= mostMb,
  };
}

export const cliRows = async (): Promise<Row[]> => [
  await overhead("unconfined", stubCodex(ANSWERS, "off")),
  await overhead("with defaults", stubCodex(ANSWERS, "best")),
  await prompt(),
  memory("many", [stubCodex(HANGS, "best")], "Cadre itself with 50 CLI children", 150),
  memory(
    "stream",
    [stubCodex(ANSWERS, "best"), stubCodex(ANSWERS, "best", 50_000)],
    "50 MB of events of a CLI: what that adds to Cadre",
    150,
  ),
];
