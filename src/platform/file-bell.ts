// Tells when another process has changed a file: by watching its folder, and by looking now and then where
// watching misses something (it may, and says nothing when it does).
import { type FSWatcher, watch } from "node:fs";
import { dirname } from "node:path";

const LOOK_EVERY_MS = 500;
/** After a hint. The hint comes with the writing; what was written may count only a moment later, and nothing tells of that. */
const LOOK_AGAIN_MS = [1, 4, 20];

/** `hasChanged` is asked at every hint, and must be cheap. Whoever listens keeps the process alive until it stops. */
export function fileBell(
  file: string,
  hasChanged: () => boolean,
  ring: () => void,
  lookEveryMs = LOOK_EVERY_MS,
): Disposable {
  let isOver = false; // whoever is rung may stop listening at once
  let looksLeft: number[] = [];
  let again: NodeJS.Timeout | undefined;
  const look = () => {
    if (hasChanged()) ring();
  };
  const lookAgain = () => {
    const ms = isOver ? undefined : looksLeft.shift();
    again = ms === undefined ? undefined : setTimeout(lookNow, ms);
  };
  const lookNow = () => {
    look();
    lookAgain();
  };
  const hinted = () => {
    look();
    looksLeft = [...LOOK_AGAIN_MS];
    if (again === undefined) lookAgain();
  };
  const timer = setInterval(look, lookEveryMs);
  let watcher: FSWatcher | undefined;
  try {
    watcher = watch(dirname(file), hinted).on("error", () => watcher?.close());
  } catch {
    // No watcher to be had (a limit of the machine): the timer does.
  }
  return {
    [Symbol.dispose]() {
      clearInterval(timer);
      clearTimeout(again);
      isOver = true;
      watcher?.close();
    },
  };
}
