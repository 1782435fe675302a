import { existsSync } from "node:fs";
import { join } from "node:path";

export const wouldObey = (name: string, file: string): string =>
  `${name} would obey ${file}, which can start programs and lift restrictions; move it away, or use another backend`;

/** The first of these files of a project that is there: a program that reads it must not be started. */
export const firstObeyed = (name: string, workspace: string, files: readonly string[]): string | undefined => {
  const found = files.map((file) => join(workspace, file)).find((file) => existsSync(file));
  return found === undefined ? undefined : wouldObey(name, found);
};
