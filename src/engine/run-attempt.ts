// One attempt, from its claim to its end: workspace, confinement, backend, finish.
import { recentMessages } from "../domain/history.ts";
import { hasServers } from "../domain/mcp-servers.ts";
import { isHomeOf } from "../domain/own-state.ts";
import { isOwnTree } from "../domain/scopes.ts";
import { CadreError } from "../errors/index.ts";
import type { Attempt, AttemptScope, Backend, Confined, HeldEvent, Hold, PreparedWorkspace } from "../ports/index.ts";
import type { Cost, FailReason, TaskView } from "../schema/index.ts";
import { attemptOver, type OverReason, overReason } from "./attempt-over.ts";
import { openScope } from "./attempt-scope.ts";
import { AttemptTime } from "./attempt-time.ts";
import { confinementTalk } from "./confinement-talk.ts";
import { finish } from "./finish.ts";
import { onAbort } from "./follow.ts";
import { Journal } from "./journal.ts";
import type { RunningParts, WorkingParts } from "./parts.ts";
import { runBackend, type RunResult } from "./run-backend.ts";
import { Slot } from "./slot.ts";
import { WholeBudget } from "./whole-budget.ts";

export interface Claimed {
  readonly hold: Hold;
  readonly task: TaskView;
  readonly token: string;
}

/** Never rejects for anything that the attempt did: how it went is in the log. */
export async function runAttempt(parts: WorkingParts, claimed: Claimed, shutdown: AbortSignal): Promise<void> {
  const { hold, task } = claimed;
  const over = new AbortController();
  const end = (reason: OverReason) => over.abort(attemptOver(reason));
  using _shutdown = onAbort(shutdown, () => end({ kind: "shutdown" }));
  const { timeoutMs } = task.spec.limits;
  using time = new AttemptTime(parts.clock, { timeoutMs, lastWordsMs: lastWordsMs(parts, task) }, () =>
    end({ kind: "timeout" }),
  );
  time.is("running");
  const journal = new Journal(parts.store, hold);
  const slot = new Slot(parts, journal, time, over.signal);
  const watching = watchControl(parts, hold, end);
  try {
    const running = attemptTo(parts, claimed, journal, slot, over.signal, time.up);
    // Once there is a result, nobody has to end it any more: its own end would be taken for the loss of the task.
    const result = await running.finally(() => watching[Symbol.dispose]());
    await finish(parts, journal, result, overReason(over.signal));
  } catch (error) {
    if (!isStale(error)) throw error;
  } finally {
    end({ kind: "lost" }); // whatever still runs of it has nothing more to say
  }
}

async function attemptTo(
  parts: WorkingParts,
  { hold, task, token }: Claimed,
  journal: Journal,
  slot: Slot,
  signal: AbortSignal,
  timeUp: AbortSignal,
): Promise<RunResult> {
  const backend = parts.backends.get(task.backend);
  const whole = new WholeBudget(journal, task);
  if (backend === undefined) {
    whole.giveBack();
    return failed("backend_unavailable", `this worker has no backend "${task.backend}"`);
  }
  let workspace: PreparedWorkspace | undefined;
  let confinement: Confined | undefined;
  const custody = await parts.custody();
  const keep = custody.open({ worker: hold.worker, task: hold.task, attempt: hold.attempt });
  const talk = confinementTalk(parts, journal, token);
  let scope: AttemptScope | undefined;
  const hatch = parts.hatch?.({ task, token, scope: () => scope });
  try {
    workspace = await parts.workspaces.prepare(task, hold.attempt, signal);
    const own = parts.ownFiles(task.id);
    confinement = await parts.confinement.prepare({
      ...talk,
      hatch: () => hatch?.folder(),
      task: task.id,
      policy: task.spec.policy,
      workspace,
      isOwnTree: isOwnTree(task.spec.workspace),
      own,
      keep,
      custody: custody.tier,
    });
    const prepared: HeldEvent = {
      type: "attempt.prepared",
      workspace: workspace.root,
      confinement: confinement.label,
      custody: backend.capabilities.processes ? custody.tier : null,
      narrowed: [...workspace.narrowed, ...narrowedBy(backend, task)],
    };
    // One that can go on after any turn writes down what it does before it does it. Of any other, and before servers are
    // started for it, this is the last word before whatever will be done.
    const isFollowed = backend.capabilities.resume === "turn" && !hasServers(task.spec.definition);
    const said = isFollowed ? journal.soon(prepared) : journal.intend(prepared);
    const [session] = await Promise.all([parts.store.session(task.spec.session), said]);
    if (signal.aborted) return { kind: "ended" }; // while it was prepared: nothing is started any more
    const take = () => whole.take(parts, slot, timeUp, backend.capabilities);
    if (!(await take())) return failed("budget", "nothing of the budget is left");
    const before = (session?.messages ?? []).filter((message) => message.task !== task.id);
    const history = recentMessages(before, parts.settings);
    const { homes, isHome } = parts;
    const attempt: Attempt = {
      task,
      attempt: hold.attempt,
      token,
      workspace,
      confinement,
      keep,
      own,
      homes,
      isHome: isHomeOf(task.spec.workspace, isHome),
      mostMicroUsd: () => whole.mostMicroUsd,
      history,
    };
    const opened = openScope(parts, {
      journal,
      task,
      token,
      slot,
      signal,
      timeUp,
      canWait: backend.capabilities.approvals,
    });
    scope = opened;
    const lent = { tell: (spent?: Cost) => whole.tell(spent), again: take };
    const run = runBackend(parts, journal, backend, attempt, opened, lent).finally(() => opened.showRest());
    const result = opened.redact(await run);
    await whole.settle(parts, result);
    return result;
  } catch (error) {
    if (isStale(error)) throw error;
    // Refused on purpose (a workspace mode that is not there) or a bug of ours: either way it is said.
    if (CadreError.isInstance(error)) return failed("refused", error.message);
    return failed("crashed", error instanceof Error ? error.message : String(error));
  } finally {
    whole.giveBack(); // where nothing was launched
    // In this order: a process that still writes into a workspace that was let go spoils the next attempt.
    const letGo = [() => keep.endAll(), () => hatch?.close(), () => confinement?.release(), () => talk.said()];
    for (const one of [...letGo, () => takeOver(journal, workspace)]) await inSpite(journal, one);
  }
}

/** What the attempt left in a tree of its own is in the log before the task can end. */
async function takeOver(journal: Journal, workspace: PreparedWorkspace | undefined): Promise<void> {
  const kept = (await workspace?.release()) ?? null;
  if (kept === null) return;
  await journal.append(
    { type: "workspace.kept", kept },
    ...kept.left.map((path) => {
      const text = `${path} is a repository of its own: it is not committed, and stays in ${kept.root}`;
      return { type: "note.taken", level: "warning", text } as const;
    }),
  );
}

/** What cannot be let go is said, and keeps nothing else from its end. */
async function inSpite(journal: Journal, letGo: () => Promise<unknown> | undefined): Promise<void> {
  try {
    await letGo();
  } catch (error) {
    const text = `something of the attempt could not be let go: ${error instanceof Error ? error.message : String(error)}`;
    await journal.append({ type: "note.taken", level: "warning", text });
  }
}

/** A backend that can still say how far it came has a moment for it; for any other, time that is up is over. */
const lastWordsMs = ({ backends, settings }: RunningParts, { backend }: TaskView): number =>
  backends.get(backend)?.capabilities.lastWords === true ? settings.graceMs : 0;

const failed = (reason: FailReason, message: string): RunResult => ({ kind: "failed", reason, message });

const isStale = (error: unknown): boolean => CadreError.isInstance(error) && error.code === "attempt.stale";

function narrowedBy(backend: Backend, { spec }: TaskView): string[] {
  const isAsked = backend.capabilities.approvals || spec.askable === "nobody";
  const unasked = isAsked ? [] : ["what would be asked is denied: this backend cannot wait"];
  return [...unasked, ...(backend.narrowed?.(spec) ?? [])];
}

/** Ends the attempt when somebody asks for it, or when the task is not ours any more. */
function watchControl({ store, pulse }: RunningParts, hold: Hold, end: (reason: OverReason) => void): Disposable {
  const look = async (): Promise<void> => {
    const task = await store.task(hold.task);
    if (task?.holder !== hold.worker || task.attempts.length !== hold.attempt) end({ kind: "lost" });
    else if (task.stopRequestedBy !== null) end({ kind: "stopped", by: task.stopRequestedBy });
  };
  const ring = () => void look().catch(() => undefined); // what the attempt writes next fails as well, and says why
  const watch = pulse.watch(`hold:${hold.task}`, ring);
  ring();
  return watch;
}
