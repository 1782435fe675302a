// Small files for bubblewrap, in a folder of the attempt that no program sees.
import { createHash } from "node:crypto";
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { admissionRefused } from "../../errors/index.ts";
import { readProcess } from "../../platform/proc-table.ts";
import { ownPid } from "../../platform/processes.ts";
import { systemClock } from "../../platform/system-clock.ts";

/** All attempts of this user have theirs in here: short, because paths of sockets have to be. */
const attemptFolders = (): string => join(tmpdir(), `cadre-${userInfo().uid}`);

export class AttemptFiles {
  #folder: string | undefined;
  readonly #written = new Set<string>();

  /** Made when it is first needed: most attempts start no program. */
  get folder(): string {
    this.#folder ??= mkdtempSync(join(ownParent(), `${ownPid()}-`));
    return this.#folder;
  }

  /** The path of a file with this content: the same one for the same content. */
  write(name: string, content: string | Buffer): string {
    const sha256 = createHash("sha256").update(content).digest("hex");
    const file = join(this.folder, `${name}-${sha256.slice(0, 16)}`);
    if (this.#written.has(file)) return file;
    writeFileSync(file, content, { mode: 0o600 });
    this.#written.add(file);
    return file;
  }

  remove(): void {
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Anybody can make a folder of that name: it has to be ours, and nobody else's to look into. */
function ownParent(): string {
  const parent = attemptFolders();
  mkdirSync(parent, { recursive: true, mode: 0o700 });
  const info = lstatSync(parent);
  if (!info.isDirectory() || info.uid !== userInfo().uid)
    throw admissionRefused(
      "confinement",
      `${parent} belongs to somebody else: nothing can be confined`,
      "Remove it, or name another folder for temporary files: TMPDIR",
    );
  if ((info.mode & 0o077) !== 0) chmodSync(parent, 0o700);
  sweep(parent);
  return parent;
}

const SWEEP_EVERY_MS = 60_000;
const sweptAt = new Map<string, number>();

/** What workers left behind that were killed. Not at every attempt: there may be many folders, and it can wait. */
function sweep(parent: string): void {
  const now = systemClock.monotonic();
  if (now - (sweptAt.get(parent) ?? Number.NEGATIVE_INFINITY) < SWEEP_EVERY_MS) return;
  sweptAt.set(parent, now);
  for (const name of readdirSync(parent)) {
    const pid = Number(/^(\d+)-/.exec(name)?.[1] ?? Number.NaN);
    if (Number.isSafeInteger(pid) && readProcess(pid) === undefined)
      rmSync(join(parent, name), { recursive: true, force: true });
  }
}
