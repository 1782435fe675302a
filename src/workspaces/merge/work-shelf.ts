// What attempts left in trees of their own, for the person who takes it over.
import { protectedBy } from "../../domain/protected-paths.ts";
import { runsLater } from "../../domain/run-later.ts";
import { CadreError, workspaceFailed } from "../../errors/index.ts";
import { personIdentity } from "../../platform/git-identity.ts";
import type { KeptWork, MergeAnswer, MergeWish, TellTaken, WorkChanges, WorkShelf } from "../../ports/index.ts";
import type { SessionId } from "../../schema/index.ts";
import { changedFiles, patchOf } from "../trees/changed-files.ts";
import { dirtIn } from "../trees/commit-tree.ts";
import type { OwnTrees } from "../trees/own-trees.ts";
import { findRepository } from "../trees/repository.ts";
import type { Taken, TreeRecord } from "../trees/tree-record.ts";
import { mergeCopy } from "./merge-copy.ts";
import { type BeforeMerge, hasCommit, mergeWorktree } from "./merge-worktree.ts";

type Merged = Extract<Taken, { kind: "merged" }>;

/** Whoever is at work on a tree ends that itself. */
const LOOK_MS = 1_000;

export interface ShelfOptions {
  readonly trees: OwnTrees;
  /** Folders of our own state, as a policy names them. */
  readonly homes: readonly string[];
  readonly userHome: string;
}

export function workShelf({ trees, homes, userHome }: ShelfOptions): WorkShelf {
  const { where, records } = trees;

  /** With everything in it committed. `null`: there is none. */
  const settled = async (session: SessionId) => {
    const record = records.find(session);
    if (record === null || record.state !== "ready") return null;
    if (!trees.isThere(record)) {
      const committed = await trees.committed(record);
      return committed === null ? null : { record, ...committed, nested: [] };
    }
    const git = await trees.open(record);
    return { record, git, ...(await trees.settle(record, git)) };
  };

  /** Where there is one: for none, nothing is made. */
  const during = async <T>(session: SessionId, none: T, work: () => Promise<T>): Promise<T> =>
    records.find(session) === null ? none : trees.during(session, work);

  const mergeInto = async (record: TreeRecord, commit: string, wish: MergeWish): Promise<MergeAnswer> => {
    const { task, by, after, dry } = wish;
    const before: BeforeMerge = (made) => take(record, { kind: "merged", task, by, after, of: commit, ...made });
    if (record.mode === "sandbox") return mergeCopy(where, record, commit, { dry, before });
    const repository = await findRepository(where.project);
    const person = await personIdentity(where.project, userHome);
    const begun = record.taken?.kind === "merged" ? record.taken : null;
    return mergeWorktree(repository, { branch: record.branch, commit }, { wish, person, begun, before });
  };

  const take = (record: TreeRecord, taken: Taken): void =>
    void records.change(record.session, (now) => ({ ...now, taken }));

  /** What is left of it: repositories of its own stay, and so does what is known of them. */
  const letGo = async (record: TreeRecord, nested: readonly string[]): Promise<void> =>
    nested.length === 0 ? trees.remove(record) : forget(record);

  const forget = (record: TreeRecord): void =>
    void records.change(record.session, (now) => ({ ...now, taken: undefined }));

  /** Whether a merge that was begun was done. */
  const isMerged = async (record: TreeRecord, { of, commit, into }: Merged): Promise<boolean> => {
    if (commit !== null && into !== null) return hasCommit(await findRepository(where.project), commit, into);
    if (!trees.isThere(record)) return true; // it is removed only after that
    return (await mergeCopy(where, record, of, { dry: true, before: () => undefined })).kind === "nothing";
  };

  /** Whether somebody has gone on in it since. */
  const isAsItWas = async (record: TreeRecord, { of }: Merged): Promise<boolean> => {
    if (record.users.length > 0) return false;
    if (!trees.isThere(record)) return true;
    const git = await trees.open(record);
    const { paths, nested } = await dirtIn(git);
    const tip = await git.line(["rev-parse", "--verify", "--end-of-options", "HEAD^{commit}"]);
    return tip === of && paths.length + nested.length === 0;
  };

  const settleOne = async (session: SessionId, tell: TellTaken): Promise<void> => {
    const untold = records.find(session)?.untold;
    if (untold !== undefined) {
      await tell(untold);
      records.change(session, (now) => ({ ...now, untold: undefined }));
    }
    const record = records.find(session);
    const taken = record?.taken;
    if (record === null || taken === undefined) return;
    if (taken.kind === "discarded") {
      await trees.removeTree(record);
      await tell(taken);
      return records.remove(session);
    }
    if (!(await isMerged(record, taken))) return;
    const { task, by, after, commit, into } = taken;
    await tell({ kind: "merged", task, by, after, commit, into });
    if (await isAsItWas(record, taken)) await trees.remove(record);
    else forget(record);
  };

  return {
    async list() {
      const { records: all, unreadable } = await records.all();
      const [broken] = unreadable;
      if (broken !== undefined && all.length === 0) throw workspaceFailed(`${broken} cannot be read`);
      return Promise.all(all.filter(({ state }) => state === "ready").map(shown));
    },

    changes: (session) =>
      during<WorkChanges | null>(session, null, async () => {
        const work = await settled(session);
        if (work === null) return null;
        const { record, git, commit } = work;
        const { base, branch, mode, prefix } = record;
        const files = await changedFiles(git, base, commit);
        const patch = await patchOf(git, base, commit);
        const touched = files.flatMap(({ path, from }) => (from === null ? [path] : [path, from]));
        return {
          base,
          commit,
          branch: mode === "worktree" ? branch : null,
          files,
          patch: patch.text,
          isCut: patch.isCut,
          protected: touched.filter((path) => protectedBy(inProject(path, prefix), [], homes) !== undefined),
          runsLater: touched.filter((path) => runsLater(path, []) !== undefined),
        };
      }),

    merge: (session, wish, tell) =>
      during<MergeAnswer>(session, { kind: "nothing" }, async () => {
        const work = await settled(session);
        if (work === null) return { kind: "nothing" };
        const { record, commit, nested } = work;
        const answer = await mergeInto(record, commit, wish);
        if (wish.dry || (answer.kind !== "merged" && answer.kind !== "nothing")) return answer;
        const { task, by, after } = wish;
        if (answer.kind === "merged")
          await tell({ kind: "merged", task, by, after, commit: answer.commit, into: answer.into });
        await letGo(record, nested);
        return nested.length > 0 && answer.kind === "merged" ? { ...answer, left: records.treeOf(session) } : answer;
      }),

    discard: (session, { task, by, after }, tell) =>
      during(session, undefined, async () => {
        const record = records.find(session);
        if (record === null) return;
        const taken = { kind: "discarded", task, by, after } as const;
        take(record, taken);
        await trees.removeTree(record);
        await tell(taken);
        records.remove(session);
      }),

    async settle(tell) {
      const { records: all } = await records.all();
      for (const { session, taken, untold } of all) {
        if (taken === undefined && untold === undefined) continue;
        // What git cannot say now is found out at another look: whoever looks wants something else.
        await trees
          .during(session, () => settleOne(session, tell), { waitMs: LOOK_MS })
          .catch((error: unknown) => {
            if (!CadreError.isInstance(error) || error.code !== "workspace.failed") throw error;
          });
      }
    },
  };

  async function shown(record: TreeRecord): Promise<KeptWork> {
    const { session, mode, agent, task, branch, base } = record;
    return {
      session,
      mode,
      agent,
      task,
      root: records.treeOf(session),
      branch: mode === "worktree" ? branch : null,
      base,
      isUncommitted: await trees.isUncommitted(record),
    };
  }
}

const inProject = (path: string, prefix: string): string =>
  prefix !== "" && path.startsWith(`${prefix}/`) ? path.slice(prefix.length + 1) : path;
