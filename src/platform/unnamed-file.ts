import { constants, existsSync, openSync } from "node:fs";

/** Linux's `O_TMPFILE`, for which Node has no name. */
const UNNAMED = 0o20000000 | constants.O_DIRECTORY | constants.O_RDWR;
const MEMORY = "/dev/shm";
/** Where whoever inherits one finds it by its number. */
const INHERITED = "/dev/fd/0";

/**
 * A file in memory that has no name, open for reading and writing: no other user can open it, and nothing is left of it
 * when the last who has it closes it. `undefined` where the system gives none, or a child could not find it.
 */
export function unnamedFile(): number | undefined {
  if (!existsSync(INHERITED)) return undefined;
  try {
    return openSync(MEMORY, UNNAMED, 0o600);
  } catch {
    return undefined;
  }
}
