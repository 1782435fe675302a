// Where the hatch of an attempt is, for both of its sides.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ATTEMPT_VARIABLE } from "./attempt-variables.ts";

/** Beside the store, and visible inside of a sandbox, which the store is not. */
export const hatchFolder = (home: string, task: string): string => join(home, "hatches", task);

/** Where this process is in a sandbox that has a hatch. */
export function hatchOf(home: string, env: Readonly<Record<string, string | undefined>>): string | undefined {
  const attempt = env[ATTEMPT_VARIABLE];
  if (attempt === undefined || !/^[\w-]+$/.test(attempt)) return undefined;
  const folder = hatchFolder(home, attempt);
  return existsSync(folder) ? folder : undefined;
}
