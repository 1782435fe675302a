// What attempts left in trees of their own, for the person who takes it over.
import { protectedBy } from "../../domain/protected-paths.ts";
import { runsLater } from "../../domain/run-later.ts";
import { workspaceFailed } from "../../errors/index.ts";
import { personIdentity } from "../../platform/git-identity.ts";
import type { KeptWork, MergeAnswer, WorkChanges, WorkShelf } from "../../ports/index.ts";
import type { SessionId } from "../../schema/index.ts";
import { changedFiles, patchOf } from "../trees/changed-files.ts";
import type { OwnTrees } from "../trees/own-trees.ts";
import { findRepository } from "../trees/repository.ts";
import type { TreeRecord } from "../trees/tree-record.ts";
import { mergeCopy } from "./merge-copy.ts";
import { mergeWorktree } from "./merge-worktree.ts";

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
    if (record === null || !trees.isThere(record)) return null;
    const git = await trees.open(record);
    return { record, git, ...(await trees.settle(record, git)) };
  };

  const mergeInto = async (record: TreeRecord, commit: string, wish: Parameters<WorkShelf["merge"]>[1]) => {
    if (record.mode === "sandbox") return mergeCopy(where, record, commit, wish.dry);
    const repository = await findRepository(where.project);
    return mergeWorktree(
      repository,
      { branch: record.branch, commit },
      wish,
      await personIdentity(where.project, userHome),
    );
  };

  return {
    async list() {
      const { records: all, unreadable } = await records.all();
      const [broken] = unreadable;
      if (broken !== undefined && all.length === 0) throw workspaceFailed(`${broken} cannot be read`);
      return Promise.all(all.filter(({ state }) => state === "ready").map(shown));
    },

    changes: (session) =>
      trees.during(session, async (): Promise<WorkChanges | null> => {
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

    merge: (session, wish) =>
      trees.during(session, async (): Promise<MergeAnswer> => {
        const work = await settled(session);
        if (work === null) return { kind: "nothing" };
        const { record, commit, nested } = work;
        const answer = await mergeInto(record, commit, wish);
        if (wish.dry || (answer.kind !== "merged" && answer.kind !== "nothing")) return answer;
        if (nested.length > 0) return answer.kind === "merged" ? { ...answer, left: records.treeOf(session) } : answer;
        await trees.remove(record);
        return answer;
      }),

    discard: (session) =>
      trees.during(session, async () => {
        const record = records.find(session);
        if (record !== null) await trees.remove(record);
      }),
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
