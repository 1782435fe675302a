// A bell between processes: a file of one byte. Whoever has done something writes it, and whoever listens is told by the
// operating system. Where that is missed (it may be, and nothing is said then), a look now and then makes up for it.
import { closeSync, constants, type FSWatcher, openSync, watch, writeSync } from "node:fs";

const LOOK_EVERY_MS = 500;
const OWNER_ONLY = 0o600;
// A link would lead our writing elsewhere; a pipe would hold us until somebody reads it.
const FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;

export interface FileBell extends Disposable {
  /** After what is to be told can be seen: nobody looks twice. */
  ring(): void;
}

/**
 * `hasChanged` is asked whenever it rings, for whatever reason, and must be cheap. Whoever listens keeps the process alive
 * until it stops.
 */
export function fileBell(
  file: string,
  hasChanged: () => boolean,
  heard: () => void,
  lookEveryMs = LOOK_EVERY_MS,
): FileBell {
  let isOver = false; // whoever hears it may stop listening at once
  const look = () => {
    if (!isOver && hasChanged()) heard();
  };
  const timer = setInterval(look, lookEveryMs);
  const own = openFile(file);
  let watcher: FSWatcher | undefined;
  try {
    watcher = watch(file, look).on("error", () => watcher?.close());
  } catch {
    // No watcher to be had (a limit of the machine): the timer does.
  }
  return {
    ring() {
      if (own === undefined || isOver) return;
      try {
        writeSync(own, "!", 0);
      } catch {
        // A full disk: the others look by themselves.
      }
    },
    [Symbol.dispose]() {
      if (isOver) return;
      isOver = true;
      clearInterval(timer);
      watcher?.close();
      if (own !== undefined) closeSync(own);
    },
  };
}

/** Nothing where it cannot be written: then nobody is told, and everybody looks now and then. */
function openFile(file: string): number | undefined {
  try {
    return openSync(file, FLAGS, OWNER_ONLY);
  } catch {
    return undefined;
  }
}
