// What a driven program keeps of a session: a home of its own, and beside it, out of its reach, what we remember of it.
import { chmodSync, lstatSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import * as z from "zod";
import { OwnedFolder } from "../../platform/owned-folder.ts";
import { type BackendName, ModelUsage, type SessionId, TaskId } from "../../schema/index.ts";

/** What we know of a program's own conversation. */
const Remembered = z.strictObject({
  /** The program's name for it. */
  id: z.string().min(1).max(1_000),
  /** The task that it was last about. */
  task: TaskId,
  /** What it had cost by then, all runs together. `null`: not known. */
  totals: ModelUsage.extend({ microUsd: z.number().nonnegative().nullable() }).nullable(),
});
export type Remembered = z.infer<typeof Remembered>;

const LARGEST = 64 * 1024;

export class SessionFolder {
  /** Nothing of the user's own is in it, unless it is linked. */
  readonly home: string;
  readonly #beside: OwnedFolder;
  readonly #note: string;

  /** `cadreHome` is where Cadre keeps its state. */
  constructor(cadreHome: string, session: SessionId, backend: BackendName) {
    const folder = join(cadreHome, "sessions", `${session}.home`);
    this.home = join(folder, backend);
    this.#beside = new OwnedFolder(folder);
    this.#note = `${backend}.json`;
  }

  /** The home with its own folder for temporary files, and these files in it, written anew. */
  prepare(files: Readonly<Record<string, string>> = {}, programs: Readonly<Record<string, string>> = {}): void {
    for (const folder of [this.home, join(this.home, "tmp")]) mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const [path, text] of Object.entries({ ...files, ...programs })) {
      const whole = join(this.home, path);
      // Whoever ran here before may have left a link: none is followed.
      new OwnedFolder(dirname(whole)).replace(whole.slice(dirname(whole).length + 1), text);
    }
    for (const path of Object.keys(programs)) chmodSync(join(this.home, path), 0o700);
  }

  /** The user's own logins, as links: what the program renews there is renewed for the user, too. */
  link(userHome: string, names: readonly string[]): void {
    for (const name of names) {
      const place = join(this.home, name);
      mkdirSync(dirname(place), { recursive: true, mode: 0o700 });
      if (lstatSync(place, { throwIfNoEntry: false }) !== undefined) rmSync(place, { recursive: true });
      symlinkSync(join(userHome, name), place);
    }
  }

  /** What an earlier task of the session left. A file that somebody has broken is as none. */
  recall(): Remembered | undefined {
    const read = this.#beside.read(this.#note, LARGEST);
    if (read.kind !== "text") return undefined;
    try {
      return Remembered.parse(JSON.parse(read.text));
    } catch {
      return undefined; // as good as none: the history is told in words then
    }
  }

  remember(what: Remembered): void {
    this.#beside.replace(this.#note, `${JSON.stringify(what)}\n`);
  }
}
