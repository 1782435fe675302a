// Trees of their own, one per session: made when an attempt first needs one, found again by the next, committed
// when it ends.
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { isWithin } from "../../domain/scopes.ts";
import { admissionRefused, workspaceFailed } from "../../errors/index.ts";
import { readConfined, writeConfined } from "../../platform/confined-files.ts";
import { withFileLock } from "../../platform/file-lock.ts";
import type { Git } from "../../platform/git.ts";
import { systemClock } from "../../platform/system-clock.ts";
import type { PreparedWorkspace } from "../../ports/index.ts";
import type { SessionId, TaskId, TaskView, WorkspaceKept } from "../../schema/index.ts";
import { changedFiles, sumOf } from "./changed-files.ts";
import { commitAll, dirtIn } from "./commit-tree.ts";
import { OneAtATime } from "./one-at-a-time.ts";
import { TREE_KINDS, type Where } from "./tree-kinds.ts";
import { type TreeRecord, TreeRecords } from "./tree-record.ts";

/** A large copy takes minutes to be made. */
const WAIT_MS = 300_000;

export class OwnTrees {
  readonly where: Where;
  readonly records: TreeRecords;
  readonly #oneAtATime = new OneAtATime();

  constructor(where: Where) {
    this.where = where;
    this.records = new TreeRecords(join(where.home, "worktrees"));
  }

  async prepare(
    task: TaskView,
    mode: TreeRecord["mode"],
    attempt = 1,
    signal?: AbortSignal,
  ): Promise<PreparedWorkspace> {
    const { spec } = task;
    const { path = "." } = spec.workspace;
    if (!isWithin(path, "."))
      throw admissionRefused("workspace", `the workspace "${path}" lies outside of the project`);
    const session = spec.worksIn ?? spec.session;
    const user = `${task.id}#${attempt}`;
    const begin = async () => {
      const found = await (spec.worksIn === undefined ? this.#findOrMake(task, mode) : this.#findAsGuest(session));
      this.records.change(session, (now) => ({
        ...now,
        users: [...now.users.filter((one) => !one.startsWith(`${task.id}#`)), user],
      }));
      return found;
    };
    const { record, narrowed } = await this.during(session, begin, { signal });
    const base = join(this.records.treeOf(session), record.prefix);
    const root = resolve(base, path);
    return {
      root,
      base,
      reads: TREE_KINDS[record.mode].reads(record),
      narrowed,
      files: {
        read: (file) => readConfined(root, file),
        write: (file, content) => writeConfined(root, file, content),
      },
      release: () => this.during(session, () => this.#release(task, session, user)),
    };
  }

  /** One at a time for a tree, of all processes: git has one index for each, and we have one record. */
  during<T>(
    session: SessionId,
    work: () => Promise<T>,
    { waitMs = WAIT_MS, signal }: { readonly waitMs?: number; readonly signal?: AbortSignal | undefined } = {},
  ): Promise<T> {
    const stuck = (lock: string) =>
      workspaceFailed(`another process is at work on ${this.records.treeOf(session)}`, {
        hint: `Try again when it is done. If no Cadre is running, delete ${lock}`,
      });
    return this.#oneAtATime.for(session, () =>
      withFileLock(this.records.lockable(session), systemClock, work, { waitMs, stuck, signal }),
    );
  }

  async #findOrMake(task: TaskView, mode: TreeRecord["mode"]) {
    const { session } = task.spec;
    const tree = this.records.treeOf(session);
    const found = this.records.find(session);
    const kind = TREE_KINDS[found?.mode ?? mode];
    if (found?.taken?.kind === "discarded") {
      // Somebody was killed while it was thrown away: what is left of it is not what anybody has worked on.
      await this.removeTree(found);
      return this.#make({ ...(await this.#newRecord(task, mode)), untold: found.taken }, tree);
    }
    if (found?.state === "ready" && kind.isThere(found, tree)) return { record: found, narrowed: [] };
    if (found?.state === "making") await kind.removeHalfMade(this.where, found, tree);
    // A worktree that was made half, or that somebody has removed, is made again from its branch.
    return this.#make(found?.mode === "worktree" ? found : await this.#newRecord(task, mode), tree);
  }

  async #newRecord(task: TaskView, mode: TreeRecord["mode"]): Promise<TreeRecord> {
    const { session, definition } = task.spec;
    const planned = await TREE_KINDS[mode].plan(this.where, task, this.records.treeOf(session));
    const about = { session, task: task.id, agent: definition.name, project: this.where.project };
    return { version: 1, mode, state: "making", ...about, ...planned, users: [] };
  }

  async #make(planned: TreeRecord, tree: string) {
    this.records.put({ ...planned, state: "making" });
    const { narrowed, ...made } = await TREE_KINDS[planned.mode].make(this.where, planned, tree);
    const record: TreeRecord = { ...planned, ...made, state: "ready" };
    this.records.put(record);
    return { record, narrowed };
  }

  /** A child that shares the tree of the one above it. */
  async #findAsGuest(session: SessionId) {
    const record = this.records.find(session);
    if (record?.state === "ready" && TREE_KINDS[record.mode].isThere(record, this.records.treeOf(session)))
      return { record, narrowed: [] };
    throw workspaceFailed("the tree that it was to share is not there any more");
  }

  async #release({ id, number, spec }: TaskView, session: SessionId, user: string): Promise<WorkspaceKept | null> {
    const record = this.records.change(session, (now) => ({ ...now, users: now.users.filter((one) => one !== user) }));
    const tree = this.records.treeOf(session);
    if (record === null || !TREE_KINDS[record.mode].isThere(record, tree)) return null; // taken over meanwhile
    const git = await TREE_KINDS[record.mode].open(record, tree);
    const { commit, nested } = await commitAll(git, record.branch, messageOf(spec.definition.name, number, id));
    if (commit === record.base && nested.length === 0 && record.users.length === 0) {
      await this.remove(record);
      return null;
    }
    return keptOf(git, record, tree, commit, nested);
  }

  /** What a killed worker left is committed, so that all of it is on the branch. */
  async settle(record: TreeRecord, git: Git): Promise<{ readonly commit: string; readonly nested: readonly string[] }> {
    return commitAll(git, record.branch, messageOf(record.agent, null, record.task));
  }

  open(record: TreeRecord): Promise<Git> {
    return TREE_KINDS[record.mode].open(record, this.records.treeOf(record.session));
  }

  isThere(record: TreeRecord): boolean {
    return record.state === "ready" && TREE_KINDS[record.mode].isThere(record, this.records.treeOf(record.session));
  }

  /** Of one that is not there any more: what was committed of it. */
  committed(record: TreeRecord): Promise<{ readonly git: Git; readonly commit: string } | null> {
    return TREE_KINDS[record.mode].committed(this.where, record, this.records.treeOf(record.session));
  }

  async isUncommitted(record: TreeRecord): Promise<boolean> {
    const tree = this.records.treeOf(record.session);
    if (!this.isThere(record)) return existsSync(tree); // what git does not know is not committed
    const { paths, nested } = await dirtIn(await this.open(record));
    return paths.length + nested.length > 0;
  }

  /** All of it. What is in it must be on its branch and that merged, or given up. */
  async remove(record: TreeRecord): Promise<void> {
    await this.removeTree(record);
    const { untold, ...rest } = record;
    if (untold === undefined) this.records.remove(record.session);
    else this.records.put({ ...rest, taken: untold });
  }

  /** All but what is known of it. */
  removeTree(record: TreeRecord): Promise<void> {
    return TREE_KINDS[record.mode].remove(this.where, record, this.records.treeOf(record.session));
  }
}

const messageOf = (agent: string, number: number | null, task: TaskId): string =>
  `${agent}${number === null ? "" : `#${number}`}: what it left in its workspace\n\nCadre-Task: ${task}\n`;

async function keptOf(
  git: Git,
  { mode, base, branch }: TreeRecord,
  root: string,
  commit: string,
  left: readonly string[],
): Promise<WorkspaceKept> {
  const files = await changedFiles(git, base, commit);
  return {
    mode,
    root,
    base,
    commit,
    branch: mode === "worktree" ? branch : null,
    files: files.length,
    insertions: sumOf(files, "insertions"),
    deletions: sumOf(files, "deletions"),
    left: [...left],
  };
}
