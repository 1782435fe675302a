// What is known of the trees that were made, as a file for each beside it. Agents do not reach these: what stands
// in the tree itself, its `.git` above all, is not believed.
import { rmSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { workspaceFailed } from "../../errors/index.ts";
import { OwnedFolder } from "../../platform/owned-folder.ts";
import { SessionId, TaskId } from "../../schema/index.ts";

const MAX_BYTES = 64 * 1024;

/** Who wants it, and where the log was then; that was not always kept. */
const Wish = z.strictObject({ task: TaskId, by: z.string(), after: z.int().nonnegative().default(0) });
const Discarded = Wish.extend({ kind: z.literal("discarded") });

export const TreeRecord = z.strictObject({
  version: z.literal(1),
  mode: z.enum(["worktree", "sandbox"]),
  /** `making`: nobody has worked in it yet. */
  state: z.enum(["making", "ready"]),
  session: SessionId,
  task: TaskId,
  agent: z.string(),
  project: z.string(),
  gitDir: z.string(),
  branch: z.string(),
  base: z.string(),
  /** The project below the top of the tree. */
  prefix: z.string(),
  /** Attempts that are in it, as `task#attempt`. One that was killed stays until the next of its task. */
  users: z.array(z.string()),
  /** It is being merged or thrown away: kept before anything is done, and until that was told. */
  taken: z
    .discriminatedUnion("kind", [
      Wish.extend({
        kind: z.literal("merged"),
        /** What the tree had then. */
        of: z.string(),
        commit: z.string().nullable(),
        into: z.string().nullable(),
      }),
      Discarded,
    ])
    .optional(),
  /** The tree that was here before this one was thrown away, and that was not told yet. */
  untold: Discarded.optional(),
});
export type TreeRecord = z.infer<typeof TreeRecord>;
export type Taken = NonNullable<TreeRecord["taken"]>;

export class TreeRecords {
  readonly #folder: OwnedFolder;

  constructor(folder: string) {
    this.#folder = new OwnedFolder(folder);
  }

  /** Where the tree of a session is, or would be. */
  treeOf(session: SessionId): string {
    return join(this.#folder.path, session);
  }

  /** What a lock on the tree of a session is called after. The folder is there then, and it is no link. */
  lockable(session: SessionId): string {
    this.find(session); // rejects what lies behind a link, before anything is made there
    this.#makeFolder();
    return this.treeOf(session);
  }

  find(session: SessionId): TreeRecord | null {
    const name = `${session}.json`;
    const file = this.#folder.read(name, MAX_BYTES);
    if (file.kind === "missing") return null;
    const parsed = file.kind === "text" ? TreeRecord.safeParse(jsonOf(file.text)) : undefined;
    if (parsed?.success === true && parsed.data.session === session) return parsed.data;
    throw workspaceFailed(`${join(this.#folder.path, name)} cannot be read`, {
      hint: `See what lies beside it, in ${this.treeOf(session)}, then remove both.`,
    });
  }

  put(record: TreeRecord): void {
    this.#makeFolder();
    this.#folder.replace(`${record.session}.json`, `${JSON.stringify(record, null, 2)}\n`);
  }

  /** Changes one that is there. Only for whoever has the tree to itself: another would write over it. */
  change(session: SessionId, how: (record: TreeRecord) => TreeRecord): TreeRecord | null {
    const record = this.find(session);
    if (record === null) return null;
    const changed = how(record);
    this.put(changed);
    return changed;
  }

  /** Nothing of it is for a repository around it. */
  #makeFolder(): void {
    this.#folder.create(".gitignore", "*\n");
  }

  remove(session: SessionId): void {
    rmSync(join(this.#folder.path, `${session}.json`), { force: true });
  }

  /** Those that can be read; the others are named. */
  async all(): Promise<{ readonly records: readonly TreeRecord[]; readonly unreadable: readonly string[] }> {
    const records: TreeRecord[] = [];
    const unreadable: string[] = [];
    for await (const name of this.#folder.names()) {
      const session = name.endsWith(".json") ? SessionId.safeParse(name.slice(0, -".json".length)) : undefined;
      if (session?.success !== true) continue;
      try {
        const record = this.find(session.data);
        if (record !== null) records.push(record);
      } catch {
        unreadable.push(join(this.#folder.path, name));
      }
    }
    return { records: records.toSorted((a, b) => (a.session < b.session ? -1 : 1)), unreadable };
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
