// The other end of `side.ts`, for every side alike.
import { setTimeout as sleep } from "node:timers/promises";
import type { Asked, Said, Work } from "./side.ts";

const say = (said: Said) => process.send?.(said);

type Run = (work: Work) => Promise<unknown>;

/** `run` does the work once; it throws where the work did not come out as it should. */
export function answerSide(run: Run): void {
  process.on("message", ({ kind, work }: Asked) => {
    const found = kind === "weigh" ? weigh(run, work) : time(run, work);
    found.then(
      (value) => say({ value }),
      (error: unknown) => say({ problem: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
    );
  });
  process.on("disconnect", () => process.exit());
}

async function time(run: Run, work: Work): Promise<number> {
  const start = performance.now();
  await run(work);
  return performance.now() - start;
}

async function weigh(run: Run, work: Work): Promise<number> {
  const before = heapBytes();
  const running = run({ ...work, model: `${work.model}/hold` });
  running.catch(() => undefined);
  const held = async () => Number(await (await fetch(`${work.model}/held`)).text());
  for (let looks = 0; looks < 1200 && (await held()) < work.count; looks++) await sleep(50);
  const during = heapBytes();
  for (let isDone = false; !isDone;) {
    await fetch(`${work.model}/release`, { method: "POST" });
    isDone = await Promise.race([running.then(() => true), sleep(20, false)]);
  }
  return during - before;
}

function heapBytes(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

/** What every worker sees. */
export const LOOKED = "Nothing out of the ordinary here.";

export function expectAnswer(text: unknown): void {
  if (!String(text).includes("Here is the answer")) throw new Error(`no answer came: ${String(text)}`);
}

export const together = <T>(count: number, run: () => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, run));
