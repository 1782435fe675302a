import { CadreError, invalidInput } from "../../../errors/index.ts";
import { type FileKind, kindOf, lookConfined } from "../../../platform/confined-files.ts";
import type { Place, Places } from "../places.ts";

/** Where a search begins: the parts of a place that may be read and are really there. A link is no such part. */
export async function searchStarts(places: Places, place: Place, wanted: readonly FileKind[]): Promise<string[]> {
  const parts = places.readableParts(place);
  const kinds = await Promise.all(parts.map((part) => kindAt(part)));
  if (parts.length === 1 && parts[0]?.path === place.path) check(place, kinds[0] ?? null, wanted);
  return parts.filter((_, index) => kinds[index] === "folder" || kinds[index] === "file").map(({ path }) => path);
}

async function kindAt({ root, path }: Place): Promise<FileKind | null> {
  const info = await lookConfined(root, path);
  return info === null ? null : kindOf(info);
}

function check({ shown }: Place, kind: FileKind | null, wanted: readonly FileKind[]): void {
  if (kind === null) throw invalidInput(`${shown} does not exist`, { facts: { why: "ENOENT" } });
  if (kind === "link") throw invalidInput(`${shown} is a symbolic link, which is not followed`);
  if (!wanted.includes(kind)) throw invalidInput(`${shown} is no ${wanted.join(" and no ")}`);
}

/** Whether a file that was found is really there, and no link leads to it. */
export async function isFile({ root, path }: Place): Promise<boolean> {
  try {
    const info = await lookConfined(root, path);
    return info !== null && kindOf(info) === "file";
  } catch (error) {
    if (CadreError.isInstance(error)) return false;
    throw error;
  }
}
