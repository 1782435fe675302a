import { lstat } from "node:fs/promises";
import { isAbsolute, join, relative } from "node:path";
import type { HostScope } from "../ports/index.ts";
import { unless } from "./files/codes.ts";
import type { FilePlace } from "./files/real-place.ts";
import type { Ground, ServerPlace } from "./kinds/kind.ts";

/** The first file that is there, else the last that could be. */
export async function filePlace(
  scope: HostScope,
  { root, files }: Pick<ServerPlace, "root" | "files">,
  ground: Ground,
): Promise<FilePlace> {
  const outer = scope === "project" ? ground.project : within(root, ground.userHome) ? ground.userHome : root;
  let path = root;
  for (const file of files) {
    path = join(root, file);
    if ((await lstat(path).catch(unless("ENOENT", "ENOTDIR"))) !== undefined) break;
  }
  return { path, scope, root: outer };
}

function within(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return !way.startsWith("..") && !isAbsolute(way);
}
