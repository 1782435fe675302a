import type { TaskId } from "../schema/index.ts";
import type { Cadre } from "./cadre.ts";

/** Until it is disposed of: whoever aborts wants the task stopped. */
export function stopOnAbort(cadre: Pick<Cadre, "call">, task: TaskId, signal: AbortSignal | undefined): Disposable {
  const stop = () => void cadre.call("task.stop", { task }).catch(() => undefined); // it may have ended first
  if (signal?.aborted === true) stop();
  signal?.addEventListener("abort", stop, { once: true });
  return { [Symbol.dispose]: () => signal?.removeEventListener("abort", stop) };
}
