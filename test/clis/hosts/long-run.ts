// All hosts at once, for twenty minutes (or as many as its first argument says), once: each starts a task that takes all
// that time, with a limit of twenty seconds, so that it gives up on it. Then it goes on with it in run after run, with a
// short task between two looks. Every run is ended by force after a few minutes, with its server. What came of it is
// printed as a table. Not a test: nothing here fails, it is read by people.
import { setTimeout as delay } from "node:timers/promises";
import { HOSTS, type HostName } from "./hosts.ts";
import { kill, killGroup } from "./processes.ts";
import { inTurn } from "./scripts.ts";
import { fieldIn, outputIn } from "./shown.ts";
import { hostWorld, type HostWorld, type Script } from "./world.ts";

const MINUTE_MS = 60_000;
const minutes = Number(process.argv[2] ?? 20);
/** How long one host after the other lives before it is killed: the second one for as long as any call may take. */
const LIVES = [0.15, 0.51, 0.25];
const lifeMs = (life: number): number => (LIVES[life] ?? 0.25) * minutes * MINUTE_MS;
const MOST_LIVES = 10;
const LOOK_MS = 600_000; // as long as the host bears
const LIMIT_MS = 20_000;
const STARTING_MS = 120_000;

interface Seen {
  readonly host: HostName;
  /** Hosts that were started, and those of them that were killed. */
  runs: number;
  killed: number;
  calls: number;
  givenUp: number;
  longestMs: number;
  short: number;
  shortWrong: number;
  answer: string;
  attempts: number;
  tookMs: number;
  left: number;
}

/** Looks at the long task, then has a short one done, until the long one has ended. */
function between(id: string, seen: Seen): Script {
  let since = performance.now();
  return (results) => {
    if (results.length > 0) count(seen, results, performance.now() - since);
    since = performance.now();
    const last = results.at(-1) ?? "";
    const output = outputIn(last)?.trimEnd() ?? "";
    if (output.startsWith("slept for")) {
      seen.answer = output;
      return "It has ended.";
    }
    const isShortNext = results.length % 2 === 1;
    return isShortNext
      ? ["task", { agent_name: "hello", prompt: `look ${results.length}` }]
      : ["task_output", { task_id: id, timeout: LOOK_MS }];
  };
}

function count(seen: Seen, results: readonly string[], tookMs: number): void {
  seen.calls++;
  seen.longestMs = Math.max(seen.longestMs, tookMs);
  const last = results.at(-1) ?? "";
  if (fieldIn(last, "task_id") === undefined) seen.givenUp++;
  if (results.length % 2 === 1) return;
  if (outputIn(last) === `You said: look ${results.length - 1}`) seen.short++;
  else seen.shortWrong++;
}

async function live(world: HostWorld): Promise<Seen> {
  const seen: Seen = { host: world.name, ...NOTHING };
  const began = performance.now();
  const start = inTurn(["task", { agent_name: "sleeper", prompt: String(minutes * 60) }]);
  const first = await world.run(start, { limitMs: LIMIT_MS, endMs: STARTING_MS + MINUTE_MS });
  seen.runs++;
  seen.calls++;
  if (fieldIn(first.results[0] ?? "", "task_id") === undefined) seen.givenUp++;
  const { id } = await world.latest("sleeper");
  for (let life = 0; seen.answer === "" && life < MOST_LIVES; life++) {
    seen.runs++;
    const ms = lifeMs(life);
    const host = await world.start(between(id, seen), { endMs: ms + STARTING_MS });
    const hasEnded = await Promise.race([host.done.then(() => true), delay(ms, false, { ref: false })]);
    if (hasEnded) continue;
    killGroup(host.pid);
    for (const server of world.processes("mcp")) kill(server);
    await host.done;
    seen.killed++;
  }
  seen.tookMs = performance.now() - began;
  seen.attempts = (await world.latest("sleeper")).attempts.length;
  // The worker leaves when nothing is left to do.
  for (let tries = 0; tries < 60 && world.processes().length > 0; tries++) await delay(1_000);
  seen.left = world.processes().length;
  return seen;
}

const NOTHING = {
  runs: 0,
  killed: 0,
  calls: 0,
  givenUp: 0,
  longestMs: 0,
  short: 0,
  shortWrong: 0,
  answer: "",
  attempts: 0,
  tookMs: 0,
  left: 0,
};

const seconds = (ms: number): string => `${Math.round(ms / 1000)} s`;

const row = (one: Seen): string =>
  [
    one.host,
    `${one.runs} (${one.killed})`,
    `${one.calls} (${one.givenUp})`,
    seconds(one.longestMs),
    `${one.short} of ${one.short + one.shortWrong}`,
    one.answer === "" ? "none" : `"${one.answer}" after ${seconds(one.tookMs)}, attempt ${one.attempts}`,
    String(one.left),
  ].join(" | ");

const tried = process.env["CADRE_HOSTS"]?.split(",");
const hosts = HOSTS.filter((host) => tried?.includes(host) ?? true);
console.log(`${new Date().toISOString()}: ${hosts.join(", ")}, ${minutes} minutes`);
const records = await Promise.allSettled(
  hosts.map(async (name) => {
    const world = await hostWorld(name);
    try {
      const record = await live(world);
      console.log(`${new Date().toISOString()}: ${JSON.stringify(record)}`);
      return record;
    } finally {
      await world.close();
    }
  }),
);
console.log(
  "\n| host | runs (killed) | calls (given up on) | longest call | short tasks answered | answer of the long one | processes left |",
);
console.log("|---|---|---|---|---|---|---|");
for (const [at, record] of records.entries())
  console.log(
    record.status === "fulfilled" ? `| ${row(record.value)} |` : `| ${hosts[at]} | ${String(record.reason)} |`,
  );
