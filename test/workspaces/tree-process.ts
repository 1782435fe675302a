// Another process at the trees of a project. Says what it has told, as lines of JSON.
import type { TellTaken } from "../../src/ports/index.ts";
import { workShelf } from "../../src/workspaces/merge/work-shelf.ts";
import { OwnTrees } from "../../src/workspaces/trees/own-trees.ts";
import { taskWith, WISH } from "./tree-tasks.ts";

const [what = "", project = "", home = "", userHome = "", name = ""] = process.argv.slice(2);
const trees = new OwnTrees({ project, home });
const shelf = workShelf({ trees, homes: [".cadre"], userHome });
const { session } = taskWith().spec;
const say: TellTaken = async (taken) => void process.stdout.write(`${JSON.stringify(taken)}\n`);

const DO: Readonly<Record<string, () => Promise<unknown>>> = {
  discard: () => shelf.discard(session, WISH, say),
  merge: () => shelf.merge(session, WISH, say),
  /** Says so, and is never done with it. */
  hang: () =>
    shelf.merge(session, WISH, async (taken) => {
      await say(taken);
      await new Promise((resolve) => setTimeout(resolve, 60_000));
    }),
  /** Attempts that begin in the tree of another, and every second of which ends. */
  async guests() {
    for (let number = 1; number <= 12; number++) {
      const guest = await trees.prepare(taskWith({}, { name, number, worksIn: session }), "worktree");
      if (number % 2 === 0) await guest.release();
    }
  },
};
await DO[what]?.();
