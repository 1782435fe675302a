// What a peer keeps between the tasks of one session: its own home, and its name for the conversation.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { OwnedFolder } from "../../platform/owned-folder.ts";
import type { Attempt } from "../../ports/index.ts";
import { type BackendName, TaskId } from "../../schema/index.ts";

const Known = z.strictObject({
  schemaVersion: z.literal(1),
  /** The peer's name for its session. */
  session: z.string().min(1).max(1_000),
  /** The last task that it was part of. */
  task: TaskId,
});
export type Known = z.infer<typeof Known>;

const MAX_BYTES = 16 * 1024;

export class SessionFolder {
  /** The peer's HOME. Nothing of the user's own is in it. */
  readonly home: string;
  readonly #folder: OwnedFolder;
  readonly #file: string;

  private constructor(folder: string, backend: BackendName) {
    this.#folder = new OwnedFolder(folder);
    this.home = join(folder, backend);
    this.#file = `${backend}.json`;
  }

  static async open(home: string, backend: BackendName, { task }: Attempt): Promise<SessionFolder> {
    const folder = new SessionFolder(join(home, "sessions", `${task.spec.session}.home`), backend);
    await mkdir(folder.home, { recursive: true, mode: 0o700 });
    return folder;
  }

  /** What an earlier task of the session left. A file that somebody has broken is as none. */
  get known(): Known | undefined {
    const file = this.#folder.read(this.#file, MAX_BYTES);
    if (file.kind !== "text") return undefined;
    try {
      return Known.parse(JSON.parse(file.text));
    } catch {
      return undefined;
    }
  }

  remember(session: string, task: TaskId): void {
    this.#folder.replace(this.#file, `${JSON.stringify({ schemaVersion: 1, session, task } satisfies Known)}\n`);
  }
}
