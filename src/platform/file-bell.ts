// Tells when another process has changed a file: by watching its folder, and by looking now and then where
// watching misses something (it may, and says nothing when it does).
import { type FSWatcher, watch } from "node:fs";
import { dirname } from "node:path";

const LOOK_EVERY_MS = 500;

/** `hasChanged` is asked at every hint, and must be cheap. Whoever listens keeps the process alive until it stops. */
export function fileBell(file: string, hasChanged: () => boolean, ring: () => void): Disposable {
  const look = () => {
    if (hasChanged()) ring();
  };
  const timer = setInterval(look, LOOK_EVERY_MS);
  let watcher: FSWatcher | undefined;
  try {
    watcher = watch(dirname(file), look).on("error", () => watcher?.close());
  } catch {
    // No watcher to be had (a limit of the machine): the timer does.
  }
  return {
    [Symbol.dispose]() {
      clearInterval(timer);
      watcher?.close();
    },
  };
}
