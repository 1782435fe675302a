// What tasks left in trees of their own: looked at by anybody whose it is, taken over by a person.
import * as z from "zod";
import { limitReached } from "../domain/limit-reached.ts";
import { hasEnded } from "../domain/transitions.ts";
import { blockerOf, tasksAbove } from "../domain/write-lanes.ts";
import { invalidInput, wrongTaskState } from "../errors/index.ts";
import type { TakenWork, TellTaken, WorkShelf } from "../ports/index.ts";
import { type Envelope, SessionId, TaskId, TaskStatus, type TaskView } from "../schema/index.ts";
import { defineOperation, type OperationContext } from "./operation.ts";
import { reach, reachable } from "./reach.ts";

const KeptWork = z.strictObject({
  session: SessionId,
  mode: z.enum(["worktree", "sandbox"]),
  agent: z.string(),
  task: TaskId,
  /** As people call the task: `writer#4`. Null: of a store that is gone. */
  name: z.string().nullable(),
  root: z.string(),
  branch: z.string().nullable(),
  base: z.string(),
  isUncommitted: z.boolean(),
});

const ChangedFile = z.strictObject({
  path: z.string(),
  change: z.enum(["A", "C", "D", "M", "R", "T"]),
  from: z.string().nullable(),
  insertions: z.int().nullable(),
  deletions: z.int().nullable(),
});

const WorkChanges = z.strictObject({
  base: z.string(),
  commit: z.string(),
  branch: z.string().nullable(),
  files: z.array(ChangedFile),
  patch: z.string(),
  isCut: z.boolean(),
  protected: z.array(z.string()),
  runsLater: z.array(z.string()),
});

export const listWork = defineOperation({
  authority: "agent",
  summary: "List the work that tasks left in worktrees and private copies.",
  input: z.strictObject({}),
  output: z.strictObject({ work: z.array(KeptWork) }),
  async run(context) {
    const kept = await (await shelfOf(context)).list();
    const tasks = await Promise.all(kept.map(({ task }) => reach(context, task).catch(() => null)));
    const work = kept.flatMap((one, index) => {
      const task = tasks[index] ?? null;
      // Of a store that is gone: its work is still there.
      const isOurs = task !== null || context.caller.inside === null;
      return isOurs ? [{ ...one, name: task === null ? null : nameOf(task) }] : [];
    });
    return { work };
  },
});

export const diffWork = defineOperation({
  authority: "agent",
  summary: "Show what a task has changed in its worktree or private copy.",
  input: z.strictObject({ task: TaskId }),
  output: WorkChanges.nullable(),
  async run(context, { task }) {
    const view = await idle(context, await reach(context, task), "looked into");
    const changes = await (await shelfOf(context)).changes(treeOf(view));
    if (changes === null) return null;
    const { files, protected: closed, runsLater } = changes;
    return { ...changes, files: [...files], protected: [...closed], runsLater: [...runsLater] };
  },
});

const MergeAnswer = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("merged"),
    commit: z.string().nullable(),
    into: z.string().nullable(),
    left: z.string().nullable(),
  }),
  z.strictObject({ kind: z.literal("nothing") }),
  z.strictObject({ kind: z.literal("conflicts"), paths: z.array(z.string()) }),
  z.strictObject({ kind: z.literal("in-the-way"), paths: z.array(z.string()) }),
]);

export const mergeWork = defineOperation({
  authority: "person",
  summary: "Bring what a task has changed in its worktree or private copy into the project.",
  input: z.strictObject({
    task: TaskId,
    /** One commit of its own, without the steps that led there. */
    squash: z.boolean().default(false),
    /** Only finds out how it would go. */
    dry: z.boolean().default(false),
    /** Also where files are changed that decide what other programs run later. */
    includeProtected: z.boolean().default(false),
    /** The commit that was looked at: another one is not merged. */
    commit: z.string().optional(),
  }),
  output: MergeAnswer,
  onlyLooks: ({ dry }) => dry,
  async run(context, { task, squash, dry, includeProtected, commit }) {
    const view = await idle(context, await reach(context, task), "merged");
    const shelf = await shelfOf(context);
    const changes = await shelf.changes(treeOf(view));
    if (changes === null) return { kind: "nothing" } as const;
    if (commit !== undefined && commit !== changes.commit)
      throw invalidInput("it has changed since it was looked at", { hint: `Look again: cadre merge --dry ${task}` });
    const [first] = changes.protected;
    if (first !== undefined && !includeProtected && !dry) {
      throw invalidInput(`it changes files that decide what other programs run: ${changes.protected.join(", ")}`, {
        hint: "Read the change of each, then say so: --include-protected",
        facts: { path: first },
      });
    }
    const wish = { squash, dry, task, ...(await asked(context)) };
    const answer = await shelf.merge(treeOf(view), wish, tellWith(context));
    return answer.kind === "conflicts" || answer.kind === "in-the-way"
      ? { ...answer, paths: [...answer.paths] }
      : answer;
  },
});

export const discardWork = defineOperation({
  authority: "person",
  summary: "Throw away what a task has changed in its worktree or private copy.",
  input: z.strictObject({ task: TaskId }),
  output: z.strictObject({}),
  async run(context, { task }) {
    const view = await idle(context, await reach(context, task), "thrown away");
    const shelf = await shelfOf(context);
    await shelf.discard(treeOf(view), { task, ...(await asked(context)) }, tellWith(context));
    return {};
  },
});

export const listHeldBack = defineOperation({
  authority: "agent",
  summary:
    "List the tasks that wait because another one writes where they would, and the limit that none can pass now.",
  input: z.strictObject({}),
  output: z.strictObject({
    heldBack: z.array(z.strictObject({ task: TaskId, behind: TaskId, name: z.string() })),
    limited: z
      .strictObject({
        setting: z.enum(["subagents.max_concurrent", "subagents.rate_limit_per_min"]),
        limit: z.int(),
      })
      .nullable(),
  }),
  async run(context) {
    const { store, settings, clock } = context.engine.parts;
    const begun = await store.tasks({ status: BEGUN, limit: MOST });
    const limited = limitReached(begun, settings, clock.now());
    const held = begun.filter(({ status }) => status === "running" || status === "waiting");
    const atWork = settings.collisions === "allow" ? [] : held.filter(hasWrites);
    if (atWork.length === 0) return { heldBack: [], limited };
    const pending = (await store.tasks({ status: ["pending"], limit: MOST })).filter(hasWrites);
    const heldBack = (await reachable(context, pending)).flatMap((task) => {
      const above = tasksAbove(task.spec, (id) => held.find((one) => one.id === id));
      const other = blockerOf(task, atWork, above);
      return other === undefined ? [] : [{ task: task.id, behind: other.id, name: nameOf(other) }];
    });
    return { heldBack, limited };
  },
});

/** With whatever somebody had begun there, and was killed before it was written down. */
async function shelfOf(context: OperationContext): Promise<WorkShelf> {
  const shelf = await context.work();
  await shelf.settle(tellWith(context));
  return shelf;
}

/** By whom, and when as the log counts. */
const asked = async ({ caller, engine }: OperationContext) => ({
  by: caller.by,
  after: await engine.parts.store.head(),
});

const tellWith =
  ({ engine }: OperationContext): TellTaken =>
  async (taken) => {
    const { store } = engine.parts;
    const { task, by, after } = taken;
    if ((await store.task(task)) === undefined) return; // of a store that is gone: nobody asks there
    const told = await store.read({ stream: `control:${task}`, after, limit: MOST });
    if (told.some(({ event }) => isSame(event, taken))) return; // whoever wrote that was killed right after it
    if (taken.kind === "discarded") await engine.command(task, { type: "discarded", by });
    else await engine.command(task, { type: "merged", by, commit: taken.commit, into: taken.into });
  };

/** Of events since it was begun: until it is told, nothing else can be begun with that tree. */
const isSame = (event: Envelope["event"], taken: TakenWork): boolean =>
  taken.kind === "merged"
    ? event.type === "workspace.merged" && event.commit === taken.commit
    : event.type === "workspace.discarded";

const nameOf = ({ spec, number }: TaskView): string => `${spec.definition.name}#${number}`;

const hasWrites = ({ spec }: TaskView): boolean => spec.writes !== undefined;

const treeOf = ({ spec }: TaskView) => spec.worksIn ?? spec.session;

const MOST = 1_000;
const BEGUN = TaskStatus.exclude(["pending"]).options;

/** Nobody works in that tree, or is about to. What is interrupted is nobody's for now. */
async function idle({ engine }: OperationContext, task: TaskView, wish: string): Promise<TaskView> {
  const { store } = engine.parts;
  const tree = treeOf(task);
  const session = await store.session(tree);
  const ofSession = await Promise.all((session?.tasks ?? []).map((id) => store.task(id)));
  const guests = await store.tasks({ status: ["pending", "running", "waiting"], root: task.spec.root, limit: MOST });
  const others = [...ofSession.filter((one) => one !== undefined), ...guests.filter((one) => treeOf(one) === tree)];
  const busy = others.find(({ status }) => !hasEnded(status) && status !== "interrupted");
  if (busy !== undefined) throw wrongTaskState(busy.id, busy.status, wish);
  return task;
}
