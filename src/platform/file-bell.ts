// Bells between processes. Everybody who listens has one, a little file in a folder that all of them know. Whoever has done
// something writes to those of the others, and each is told by the operating system. Where that is missed (it may be, and
// nothing is said then), a look now and then makes up for it. Who is alone writes nothing, and is woken by nobody.
import * as fs from "node:fs";
import { join } from "node:path";
import { mintToken } from "./system-mint.ts";

const LOOK_EVERY_MS = 500;
const OWNER_ONLY = 0o600;
/** More are not rung: they look now and then. */
const MOST = 256;
/** So long ago it was made, and nobody here can tell whether its owner lives. Who does makes itself another. */
const OLD_MS = 24 * 3_600_000;

// A link would lead our writing elsewhere; a pipe would hold us until somebody reads it.
const SAFE = fs.constants.O_WRONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK;
const NEW = SAFE | fs.constants.O_CREAT | fs.constants.O_EXCL;

/** A number of a process means nothing where another namespace has its own. */
const NAMESPACE = namespaceOfPids();

const NAME = /^(\d+)-(\d+)-[\w-]{16}$/;

export interface FileBell extends Disposable {
  /** After what is to be told can be seen: nobody looks twice. */
  ring(): void;
}

/**
 * `hasChanged` is asked whenever it is rung for, for whatever reason, and must be cheap. Whoever listens keeps the process
 * alive until it stops. A folder that cannot be used costs nothing but time: everybody looks now and then.
 */
export const fileBell = (
  folder: string,
  hasChanged: () => boolean,
  heard: () => void,
  lookEveryMs = LOOK_EVERY_MS,
): FileBell => new Bells(folder, () => hasChanged() && heard(), lookEveryMs);

class Bells implements FileBell {
  readonly #folder: string;
  readonly #look: () => void;
  readonly #timer: NodeJS.Timeout;
  #own: OwnBell | undefined;
  /** Open files, by name. */
  readonly #others = new Map<string, number>();
  /** Whoever hears it may stop listening at once. */
  #isOver = false;

  constructor(folder: string, look: () => void, lookEveryMs: number) {
    this.#folder = folder;
    this.#look = look;
    this.#timer = setInterval(() => this.#lookAround(), lookEveryMs);
    quietly(() => this.#hang());
  }

  ring(): void {
    for (const other of this.#others.values()) quietly(() => strike(other));
  }

  [Symbol.dispose](): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearInterval(this.#timer);
    this.#own?.[Symbol.dispose]();
    for (const name of this.#others.keys()) this.#leave(name);
  }

  /** Where everybody can see it, before anybody is looked for: of two who come at once, one sees the other. */
  #hang(): void {
    quietly(() => fs.mkdirSync(this.#folder, { mode: 0o700 })); // unless it is there
    if (!fs.lstatSync(this.#folder).isDirectory()) return;
    this.#own?.[Symbol.dispose]();
    this.#own = undefined; // the next may not be to be had
    this.#own = new OwnBell(this.#folder, () => this.#rung());
    this.#meet(greet);
  }

  #rung(): void {
    if (this.#isOver) return;
    // What was done before we knew of a newcomer was not rung for it: it is now.
    if (this.#own?.hasGrown() === true) quietly(() => this.#meet(strike));
    this.#look();
  }

  #lookAround(): void {
    quietly(() => (this.#own?.isThere() === true ? this.#meet(strike) : this.#hang()));
    this.#look();
  }

  /** `first`: what is done to the bell of somebody who was not known. */
  #meet(first: (bell: number) => void): void {
    const names = fs.readdirSync(this.#folder).filter((name) => name !== this.#own?.name && this.#isInUse(name));
    for (const known of this.#others.keys()) if (!names.includes(known)) this.#leave(known);
    for (const name of names.slice(0, MOST)) {
      if (this.#others.has(name)) continue;
      const bell = openBell(join(this.#folder, name));
      if (bell === undefined) continue;
      this.#others.set(name, bell);
      quietly(() => first(bell));
    }
  }

  /** What belonged to a process that was killed is taken away. */
  #isInUse(name: string): boolean {
    const [, namespace, pid] = NAME.exec(name) ?? [];
    if (pid === undefined) return false;
    const path = join(this.#folder, name);
    const isDead = namespace === NAMESPACE ? !exists(Number(pid)) : isOld(path);
    if (isDead) quietly(() => fs.rmSync(path, { force: true }));
    return !isDead;
  }

  #leave(name: string): void {
    const bell = this.#others.get(name);
    this.#others.delete(name);
    if (bell !== undefined) fs.closeSync(bell);
  }
}

class OwnBell implements Disposable {
  readonly name = `${NAMESPACE}-${process.pid}-${mintToken().slice(0, 16)}`;
  readonly #path: string;
  readonly #file: number;
  #watcher: fs.FSWatcher | undefined;
  #size = 0;

  constructor(folder: string, rung: () => void) {
    this.#path = join(folder, this.name);
    this.#file = fs.openSync(this.#path, NEW, OWNER_ONLY);
    try {
      this.#watcher = fs.watch(this.#path, rung).on("error", () => this.#watcher?.close());
    } catch {
      // No watcher to be had (a limit of the machine): the timer does.
    }
  }

  /** Somebody came, since it was asked. */
  hasGrown(): boolean {
    const before = this.#size;
    this.#size = fs.fstatSync(this.#file).size;
    return this.#size !== before;
  }

  isThere(): boolean {
    return fs.fstatSync(this.#file).nlink > 0;
  }

  [Symbol.dispose](): void {
    this.#watcher?.close();
    fs.closeSync(this.#file);
    fs.rmSync(this.#path, { force: true });
  }
}

/** Something was done. */
const strike = (bell: number): void => void fs.writeSync(bell, "!", 0);

/** Somebody is new here. Two who do this at once may make it one byte longer, not two: both could be seen before. */
const greet = (bell: number): void => void fs.writeSync(bell, "+", fs.fstatSync(bell).size);

/** Nothing where it is gone, or is something else than a bell. */
function openBell(path: string): number | undefined {
  try {
    const bell = fs.openSync(path, SAFE);
    const info = fs.fstatSync(bell);
    if (info.isFile() && info.nlink === 1) return bell; // under another name it would be somebody else's file
    fs.closeSync(bell);
  } catch {
    // Its owner may have left since it was seen.
  }
  return undefined;
}

const isOld = (path: string): boolean =>
  (fs.lstatSync(path, { throwIfNoEntry: false })?.birthtimeMs ?? 0) < Date.now() - OLD_MS;

function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}

/** A full disk, a folder that is not ours: the others look by themselves. */
function quietly(work: () => unknown): void {
  try {
    work();
  } catch {
    // Nobody was told.
  }
}

function namespaceOfPids(): string {
  try {
    return /\d+/.exec(fs.readlinkSync("/proc/self/ns/pid"))?.[0] ?? "0";
  } catch {
    return "0"; // one for all, on other systems
  }
}
