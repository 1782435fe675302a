import { existsSync } from "node:fs";
import { join } from "node:path";
import { PROTECTED_NAMES } from "../../domain/protected-paths.ts";

/** What of the protected files and folders is at the top of this folder. */
export const protectedIn = (folder: string): readonly string[] =>
  PROTECTED_NAMES.filter((name) => existsSync(join(folder, name)));
