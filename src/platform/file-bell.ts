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
/** What is older belongs to nobody: whoever lives has made itself another by then. */
const LIFE_MS = 120_000;

// A link would lead our writing elsewhere; a pipe would hold us until somebody reads it.
const SAFE = fs.constants.O_WRONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK;
const NEW = SAFE | fs.constants.O_CREAT | fs.constants.O_EXCL;

/** When it was made, by whom, and something that no other has. */
const NAME = /^(\d{13})-\d+-[\w-]{16}$/;

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
    this.#takeDown();
  }

  /** Where everybody can see it, before anybody is looked for: of two who come at once, one sees the other. */
  #hang(): void {
    this.#takeDown();
    quietly(() => fs.mkdirSync(this.#folder, { mode: 0o700 })); // unless it is there
    if (!fs.lstatSync(this.#folder).isDirectory()) return;
    this.#own = new OwnBell(this.#folder, () => this.#rung());
    this.#meet(greet);
  }

  #takeDown(): void {
    const own = this.#own;
    this.#own = undefined;
    own?.[Symbol.dispose]();
    for (const name of this.#others.keys()) this.#leave(name);
  }

  #rung(): void {
    if (this.#isOver) return;
    // What was done before we knew of a newcomer was not rung for it: it is now.
    quietly(() => this.#own?.hasGrown() === true && this.#meet(strike));
    this.#look();
  }

  #lookAround(): void {
    quietly(() => (this.#own?.isGood() === true ? this.#meet(strike) : this.#hang()));
    this.#look();
  }

  /** `first`: what is done to the bell of somebody who was not known. */
  #meet(first: (bell: number) => void): void {
    const found = new Set(
      fs.readdirSync(this.#folder).filter((name) => name !== this.#own?.name && this.#isInUse(name)),
    );
    for (const known of this.#others.keys()) if (!found.has(known)) this.#leave(known);
    for (const name of [...found].toSorted().toReversed()) {
      if (this.#others.size >= MOST) break;
      if (this.#others.has(name)) continue;
      const bell = openBell(join(this.#folder, name));
      if (bell === undefined) continue;
      this.#others.set(name, bell);
      quietly(() => first(bell));
    }
  }

  /** What a process that was killed has left is taken away. */
  #isInUse(name: string): boolean {
    const madeAt = NAME.exec(name)?.[1];
    if (madeAt === undefined) return false;
    const isInUse = ageOf(Number(madeAt)) < LIFE_MS;
    if (!isInUse) quietly(() => fs.rmSync(join(this.#folder, name), { force: true }));
    return isInUse;
  }

  #leave(name: string): void {
    const bell = this.#others.get(name);
    this.#others.delete(name);
    if (bell !== undefined) fs.closeSync(bell);
  }
}

class OwnBell implements Disposable {
  readonly name: string;
  readonly #madeAt = Date.now();
  readonly #path: string;
  readonly #file: number;
  #watcher: fs.FSWatcher | undefined;
  #size = 0;

  constructor(folder: string, rung: () => void) {
    this.name = `${this.#madeAt}-${process.pid}-${mintToken().slice(0, 16)}`;
    this.#path = join(folder, this.name);
    this.#file = fs.openSync(this.#path, NEW, OWNER_ONLY);
    quietly(() => greet(this.#file)); // it takes its room now: later there may be none
    this.hasGrown();
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

  /** It is there, and will be when it is looked at next. */
  isGood(): boolean {
    return fs.fstatSync(this.#file).nlink > 0 && ageOf(this.#madeAt) < LIFE_MS / 2;
  }

  [Symbol.dispose](): void {
    this.#watcher?.close();
    fs.closeSync(this.#file);
    quietly(() => fs.rmSync(this.#path, { force: true })); // what stays is old soon
  }
}

/** A clock that was set back has made it in the time to come. */
const ageOf = (madeAt: number): number => Math.abs(Date.now() - madeAt);

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

/** A full disk, a folder that is not ours: the others look by themselves. */
function quietly(work: () => unknown): void {
  try {
    work();
  } catch {
    // Nobody was told.
  }
}
