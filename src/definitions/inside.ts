import { isAbsolute, relative, sep } from "node:path";

/** Whether `path` is `folder` or lies below it. Both absolute and real: no link is followed here. */
export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
