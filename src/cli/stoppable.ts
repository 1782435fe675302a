import type { Cadre } from "../app/index.ts";
import type { CommandContext } from "./command.ts";
import type { Exit } from "./exit-codes.ts";

/** For a command that waits for something: Ctrl-C closes Cadre, which ends whatever is waited for. */
export async function stoppable(
  { open, signal }: CommandContext,
  work: (cadre: Cadre) => Promise<Exit>,
): Promise<Exit> {
  const cadre = await open();
  let closed: Promise<void> | undefined;
  const close = () => (closed ??= cadre.close());
  const stop = () => void close();
  signal.addEventListener("abort", stop, { once: true });
  try {
    signal.throwIfAborted(); // that was while Cadre was being opened: nobody will hear of it any more
    return await work(cadre);
  } finally {
    signal.removeEventListener("abort", stop);
    await close();
  }
}
