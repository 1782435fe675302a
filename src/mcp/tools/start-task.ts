// Every tool that gives an agent a task ends up here: it is queued, a worker is seen to, and then it is waited for.
import { invalidInput } from "../../errors/index.ts";
import { type OperationInput, TaskWorkspace } from "../../operations/index.ts";
import { SessionId, type TaskId, type TaskView } from "../../schema/index.ts";
import { questionsFor, relay } from "../ask-host.ts";
import type { Answered, HostCall } from "../host-tool.ts";
import { type Occasion, showTask } from "../show/show-task.ts";
import { waitForTasks } from "../wait-for-tasks.ts";
import { findTask } from "./find-task.ts";

/** What a tool that starts a task and waits for it asks for. */
export const START_OPERATIONS = [
  "task.start",
  "task.wait",
  "task.get",
  "task.list",
  "session.get",
  "approval.relay",
  "inbox.acknowledge",
] as const;

export const Workspace = TaskWorkspace.describe(
  "where it works: worktree or sandbox is a tree of its own. It never widens what the agent may do",
);

export interface StartWish {
  readonly agent?: string | undefined;
  readonly prompt: string;
  readonly backend?: string | undefined;
  readonly background?: boolean | undefined;
  /** A session, or an earlier task of it. */
  readonly resume?: string | undefined;
  readonly model?: string | undefined;
  readonly maxTurns?: number | undefined;
  readonly waitMs?: number | undefined;
  readonly inputs?: Readonly<Record<string, unknown>> | undefined;
  readonly workspace?: OperationInput<"task.start">["workspace"];
}

export async function startTask(call: HostCall, wish: StartWish): Promise<Answered> {
  const waitMs = waitOf(call, wish.waitMs);
  if (call.resumed !== undefined) return followTask(call, call.resumed.task, { waitMs, occasion: "result" });
  const task = await queueTask(call, wish);
  if (wish.background === true) return showTask(task, call, "started");
  if (call.followsTasks) return { task };
  return followTask(call, task.id, { waitMs, occasion: "result" });
}

/** It is in the log, and this host's, when it comes back. */
async function queueTask(call: HostCall, wish: StartWish): Promise<TaskView> {
  const request = await requestFor(call, wish);
  const task = await call.desk.queue(() => call.cadre.start(request));
  call.session.started(task.id);
  return task;
}

export interface FollowWishes {
  readonly waitMs: number;
  readonly occasion: Occasion;
  readonly cursor?: number | undefined;
}

/** Passes on what the host's user has said, waits, and comes back with the task or with what it wants to know now. */
export async function followTask(call: HostCall, id: TaskId, wishes: FollowWishes): Promise<Answered> {
  await relay(call, call.resumed?.given ?? []);
  const wait = { waitMs: wishes.waitMs, untilAsked: wishes.occasion === "result" || call.user !== null };
  const [now = await findTask(call, id)] = await waitForTasks(call, [id], wait);
  const questions = await questionsFor(call, now);
  if (questions.length > 0) return { questions, of: id };
  // Whoever waited has it then: it is no news for anybody's inbox. One who has given up has not.
  if (wishes.occasion === "result" && now.outcome !== null) {
    call.desk.afterwards(async () => {
      if (!call.signal.aborted) await call.cadre.call("inbox.acknowledge", { root: id });
    });
  }
  return showTask(now, call, wishes.occasion, wishes.cursor);
}

/** As asked for, within what the host bears. */
export const waitOf = ({ bounds }: HostCall, asked: number | undefined): number =>
  Math.min(asked ?? bounds.waitMs, bounds.longestWaitMs);

export async function requestFor(call: HostCall, wish: StartWish): Promise<OperationInput<"task.start">> {
  const { prompt, backend, background, model, maxTurns, workspace } = wish;
  const earlier = wish.resume === undefined ? undefined : await sessionOf(call, wish.resume);
  if (earlier !== undefined && wish.agent !== undefined && !isAlike(wish.agent, earlier.agent)) {
    throw invalidInput(`the session ${earlier.session} is of the agent "${earlier.agent}", not of "${wish.agent}"`, {
      hint: "Leave the agent out, or the session.",
    });
  }
  return {
    agent: earlier?.agent ?? wish.agent,
    prompt,
    backend,
    background,
    model,
    workspace,
    session: earlier?.session,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what came as JSON; the operation looks at it again
    inputs: wish.inputs as OperationInput<"task.start">["inputs"],
    limits: maxTurns === undefined ? undefined : { maxTurns },
    askable: call.user === null ? undefined : "host",
    ceiling: call.ceiling,
  };
}

async function sessionOf(
  call: HostCall,
  ref: string,
): Promise<{ session: TaskView["spec"]["session"]; agent: string }> {
  const session = SessionId.safeParse(ref);
  if (session.success) {
    const { id, agent } = await call.cadre.call("session.get", { session: session.data });
    return { session: id, agent };
  }
  const { spec } = await findTask(call, ref);
  return { session: spec.session, agent: spec.definition.name };
}

/** Agents are found without regard to case, and `_` is `-`. */
const isAlike = (one: string, other: string): boolean => keyOf(one) === keyOf(other);
const keyOf = (name: string): string => name.toLowerCase().replaceAll("_", "-");
