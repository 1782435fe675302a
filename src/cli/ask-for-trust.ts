// The first run of an agent that nobody has seen: on a terminal, the person is asked once.
import type { Cadre } from "../app/index.ts";
import { CadreError } from "../errors/index.ts";
import { askYes } from "./ask-line.ts";
import type { CommandContext } from "./command.ts";
import { safeText } from "./render/safe-text.ts";

type Ask = (question: string, signal: AbortSignal) => Promise<boolean>;

/** Works; where that fails for want of trust and the person gives it, once more. */
export async function askingForTrust<T>(
  { out, streams, signal }: Pick<CommandContext, "out" | "streams" | "signal">,
  cadre: Pick<Cadre, "call" | "project">,
  work: () => Promise<T>,
  ask: Ask = askYes,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isForTrust = CadreError.isInstance(error) && error.code === "agent.untrusted";
    if (!isForTrust || streams.stdin.isTTY !== true) throw error;
    out.talk(safeText(error.message));
    if (!(await ask(`Trust ${safeText(cadre.project)} as it is now?`, signal))) throw error;
    await cadre.call("trust.grant", {});
    return work();
  }
}
