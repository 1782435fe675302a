import { dirname } from "node:path";
import { storeUnavailable } from "../../errors/index.ts";
import { fileSystemOf, isFarAway } from "../../platform/file-system.ts";

export type FileSystemOf = typeof fileSystemOf;

/** Several processes share the file by locks and shared memory, and neither holds between machines. */
export function refuseFarAway(file: string, look: FileSystemOf = fileSystemOf): void {
  const found = look(dirname(file));
  if (found === undefined || !isFarAway(found)) return;
  throw storeUnavailable(
    file,
    "is on a network file system, where locks cannot be relied on",
    "Name a home on a local disk: --home <folder>, or CADRE_HOME",
  );
}
