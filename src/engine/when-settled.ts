import type { ReserveAnswer } from "../ports/index.ts";
import type { RunningParts } from "./parts.ts";
import type { Slot } from "./slot.ts";

/**
 * What does not fit a budget only because others of the tree have calls under way is tried again whenever one of them is
 * settled, until the signal. Every call is settled by itself, so nobody waits here for somebody who waits here, too.
 */
export async function whenSettled(
  { pulse }: RunningParts,
  slot: Slot,
  reserve: () => Promise<ReserveAnswer>,
  until: AbortSignal,
): Promise<ReserveAnswer> {
  const first = await reserve();
  if (!isBusy(first) || until.aborted) return first;
  return slot.wait("budget", async (signal) => {
    try {
      return await pulse.until("budgets", AbortSignal.any([signal, until]), async () => {
        const answer = await reserve();
        return isBusy(answer) ? undefined : answer;
      });
    } catch (error) {
      signal.throwIfAborted();
      if (until.aborted) return first;
      throw error;
    }
  });
}

const isBusy = (answer: ReserveAnswer): boolean => answer.kind === "short" && answer.isBusy;
