import type { ReserveAnswer } from "../ports/index.ts";
import { NOTHING } from "../schema/index.ts";
import type { Journal } from "./journal.ts";
import type { RunningParts } from "./parts.ts";
import type { Slot } from "./slot.ts";

/**
 * What does not fit a budget only because of what others of the tree have under way is tried again whenever some of it is
 * settled, until the signal. Every call is settled by itself, and a whole by somebody who waits for calls at the most
 * (domain/budgets.ts), so nobody waits here for somebody who waits for it.
 */
export async function whenSettled(
  { pulse }: RunningParts,
  { journal, slot }: { readonly journal: Journal; readonly slot: Slot },
  reserve: () => Promise<ReserveAnswer>,
  until: AbortSignal,
): Promise<ReserveAnswer> {
  const first = await reserve();
  if (!isBusy(first) || until.aborted) return first;
  let last = first;
  const look = async (): Promise<ReserveAnswer | undefined> => {
    last = await reserve();
    return isBusy(last) ? undefined : last;
  };
  try {
    return await slot.wait("budget", async (signal) => {
      const waited = pulse.until("budgets", AbortSignal.any([signal, until]), look);
      const answer = await waited.catch((error: unknown) => {
        if (until.aborted) return first;
        throw error;
      });
      signal.throwIfAborted();
      return answer;
    });
  } catch (error) {
    // The attempt was over before it had its place again: nothing was, or will be, sent on it.
    if (last.kind === "reserved") journal.soon({ type: "settle", reservation: last.reservation, spent: NOTHING });
    throw error;
  }
}

const isBusy = (answer: ReserveAnswer): boolean => answer.kind === "short" && answer.isBusy;
