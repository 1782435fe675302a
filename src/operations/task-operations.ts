// Starting tasks and looking at them.
import * as z from "zod";
import { parseTaskRef } from "../domain/task-refs.ts";
import { hasEnded } from "../domain/transitions.ts";
import {
  AgentName,
  BackendName,
  Ceiling,
  Dispatch,
  Envelope,
  JsonObject,
  SessionId,
  TaskId,
  TaskStatus,
  TaskView,
} from "../schema/index.ts";
import { checkDelegation } from "./check-delegation.ts";
import { mayAskHost } from "./host-answers.ts";
import { defineOperation } from "./operation.ts";
import { reach, reachable } from "./reach.ts";
import { TaskWorkspace, workspaceFor } from "./task-workspace.ts";

const PAGE_MAX = 1000;
const WAIT_MAX_MS = 600_000;

export const startTask = defineOperation({
  authority: "agent",
  summary: "Give an agent a task. It is queued, and its id returned at once.",
  input: z.strictObject({
    agent: AgentName.optional(),
    prompt: z.string(),
    inputs: JsonObject.optional(),
    session: SessionId.optional(),
    /** Not in that session, but in a new one that begins with what was said there. */
    fork: z.boolean().optional(),
    backend: BackendName.optional(),
    background: z.boolean().optional(),
    model: z.string().min(1).optional(),
    dispatch: Dispatch.optional(),
    priority: z.int().optional(),
    notBefore: z.int().optional(),
    /** What whoever asks is itself held to: it only narrows. */
    ceiling: Ceiling.optional(),
    /** For a mouth whose host can ask its user. It holds where the settings let hosts do that. */
    askable: z.literal("host").optional(),
    workspace: TaskWorkspace.optional(),
    limits: z
      .strictObject({
        timeoutMs: z.int().positive().optional(),
        maxTurns: z.int().positive().optional(),
        budgetUsd: z.number().positive().optional(),
        maxTokens: z.int().positive().optional(),
      })
      .optional(),
  }),
  output: TaskView,
  async run(context, input) {
    const { engine, caller, isAwaited } = context;
    checkDelegation(caller.inside, [input.agent]);
    const origin = { mouth: caller.mouth, by: caller.by };
    const askable = input.askable !== undefined && (await mayAskHost(context)) ? input.askable : caller.askable;
    const workspace = workspaceFor(input.workspace, caller);
    // Inside of an attempt nobody is there to say when: whoever runs that one runs this.
    const dispatch = caller.inside === null ? input.dispatch : "auto";
    const [task] = await engine.admit([{ ...input, workspace, askable, origin, dispatch, isAwaited }], caller.inside);
    if (task === undefined) throw new Error("a list of one was admitted as none");
    return task;
  },
});

export const getTask = defineOperation({
  authority: "agent",
  summary: "Show one task: its state, attempts, cost and result.",
  input: z.strictObject({ task: TaskId }),
  output: TaskView,
  run: (context, { task }) => reach(context, task),
});

export const listTasks = defineOperation({
  authority: "agent",
  summary: "List tasks, newest first.",
  input: z.strictObject({
    status: z.array(TaskStatus).optional(),
    agent: AgentName.optional(),
    root: TaskId.optional(),
    before: TaskId.optional(),
    limit: z.int().min(1).max(PAGE_MAX).default(50),
  }),
  output: z.strictObject({ tasks: z.array(TaskView) }),
  async run({ engine, caller }, query) {
    const { store } = engine.parts;
    const inside = caller.inside;
    // An agent lists its own children; deeper ones it knows by their ids.
    const tasks = await store.tasks(inside === null ? query : { ...query, root: inside.spec.root, parent: inside.id });
    return { tasks: [...tasks] };
  },
});

export const findTasks = defineOperation({
  authority: "agent",
  summary: "Find tasks by what a person calls them: agent#4, @last, or the end of an id.",
  input: z.strictObject({ ref: z.string().min(1) }),
  output: z.strictObject({ ids: z.array(TaskId) }),
  async run(context, { ref }) {
    const found = await context.engine.parts.store.findTasks(parseTaskRef(ref));
    return { ids: (await reachable(context, found)).map(({ id }) => id) };
  },
});

export const waitForTask = defineOperation({
  authority: "agent",
  summary: "Wait for a task to end, for so long and no longer, and show it as it is then.",
  input: z.strictObject({ task: TaskId, waitMs: z.int().min(0).max(WAIT_MAX_MS).default(30_000) }),
  output: TaskView,
  async run(context, { task: id, waitMs }) {
    const { engine, signal } = context;
    const task = await reach(context, id);
    if (hasEnded(task.status) || waitMs === 0) return task;
    const enough = new AbortController();
    const either = AbortSignal.any([signal, enough.signal]);
    const stop = () => enough.abort("enough"); // a reason of our own: the default one is an error, made each time
    void engine.parts.clock.sleep(waitMs, either).then(stop);
    try {
      return await engine.until(id, either, (view) => (hasEnded(view.status) ? view : undefined), "end");
    } catch (error) {
      if (!either.aborted) throw error;
      return await reach(context, id);
    } finally {
      stop();
    }
  },
});

export const readEvents = defineOperation({
  authority: "agent",
  summary: "Read what happened to a task, in order, from a place in the log.",
  input: z.strictObject({
    task: TaskId,
    stream: z.enum(["task", "control"]).default("task"),
    after: z.int().nonnegative().default(0),
    limit: z.int().min(1).max(PAGE_MAX).default(200),
  }),
  output: z.strictObject({ events: z.array(Envelope) }),
  async run(context, { task, stream, after, limit }) {
    await reach(context, task);
    return { events: [...(await context.engine.parts.store.read({ stream: `${stream}:${task}`, after, limit }))] };
  },
});
