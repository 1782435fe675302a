import type { Cadre } from "../app/index.ts";

const EVERY_MS = 5_000;

/** For a command that waits for others: what a resident that is killed meanwhile has to leave goes on all the same. */
export function keepAwake(cadre: Pick<Cadre, "wakeWorker">): Disposable {
  // Where it cannot be, whoever has opened Cadre was told so.
  const timer = setInterval(() => void cadre.wakeWorker().catch(() => undefined), EVERY_MS).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
