import { hasEnded } from "../domain/transitions.ts";
import { CadreError } from "../errors/index.ts";
import type { AttemptScope, Delegated, Delegation, Hold } from "../ports/index.ts";
import type { TaskId, TaskView } from "../schema/index.ts";
import { summarize } from "../domain/summaries.ts";
import { admit } from "./admit.ts";
import { ask } from "./ask.ts";
import { Hearing } from "./hearing.ts";
import type { RunningParts } from "./parts.ts";
import { Permits } from "./permit.ts";
import type { Slot } from "./slot.ts";

export interface ScopeOf {
  readonly hold: Hold;
  readonly task: TaskView;
  readonly slot: Slot;
  readonly signal: AbortSignal;
  /** Whether the backend can stop and wait for a person. */
  readonly canWait: boolean;
}

/** The engine's side of one attempt, as its backend sees it. */
export function openScope(parts: RunningParts, { hold, task, slot, signal, canWait }: ScopeOf): AttemptScope {
  const { store, mint, clock, pulse, live } = parts;
  const askPerson: AttemptScope["ask"] = (question) => ask(parts, hold, slot, task, question, canWait);
  const permits = new Permits(parts, hold, task, askPerson);

  const hearing = new Hearing(parts, hold, task);

  return {
    signal,
    append: async (...events) => {
      signal.throwIfAborted();
      await store.append(hold, events);
    },
    live: (part) => {
      if (!signal.aborted) live.write(task.id, part);
    },
    permit: async (call) => {
      signal.throwIfAborted(); // in its last moments an attempt winds up: it begins nothing
      return permits.permit(call);
    },
    ask: askPerson,
    reserve: async (amount) => {
      const reservation = mint.id("rsrv");
      return (await store.reserve(hold, reservation, amount)).kind === "reserved" ? reservation : false;
    },
    settle: (reservation, spent) => store.settle(hold, reservation, spent),
    delegate: async (request) => {
      signal.throwIfAborted();
      return delegate(parts, hold, task, request);
    },
    outcomeOf: (child) => outcomeOf(parts, hold, slot, child),
    hear: () => hearing.all(),
    hearNext: async () =>
      (await hearing.next()) ??
      slot.wait("message", (waiting) => pulse.until(`task:${task.id}`, waiting, () => hearing.next())),
    sleep: (ms) =>
      slot.wait("timer", async (waiting) => {
        await clock.sleep(ms, waiting);
        waiting.throwIfAborted();
      }),
    together: (strands) => slot.together(strands),
    wait: (on, work) => slot.wait(on, work),
  };
}

async function delegate(parts: RunningParts, hold: Hold, task: TaskView, request: Delegation): Promise<Delegated> {
  const { agent, prompt, inputs, background = false } = request;
  try {
    const origin = { mouth: "agent", by: task.id };
    const wish = { agent, prompt, inputs, background, askable: task.spec.askable, origin };
    const [child] = await admit(parts, [wish], task, hold);
    if (child === undefined) return { kind: "refused", message: "nothing was started" };
    return { kind: "started", child: child.id };
  } catch (error) {
    // Unknown agent, missing input, budget, depth: the agent can act on these. Losing the task it cannot.
    if (CadreError.isInstance(error) && error.code !== "attempt.stale")
      return { kind: "refused", message: error.message };
    throw error;
  }
}

async function outcomeOf({ store, pulse }: RunningParts, hold: Hold, slot: Slot, child: TaskId): Promise<TaskView> {
  const ended = await slot.wait("child", (signal) =>
    pulse.until(`task:${child}`, signal, async () => {
      const view = await store.task(child);
      return view !== undefined && hasEnded(view.status) ? view : undefined;
    }),
  );
  const summary = ended.outcome === null ? "" : summarize(ended.outcome);
  await store.append(hold, [{ type: "child.ended", child, status: ended.status, summary }]);
  return ended;
}
