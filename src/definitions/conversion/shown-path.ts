import { isAbsolute, join, relative, resolve } from "node:path";
import { isInside } from "../inside.ts";

/** Where this process works. All are absolute. */
export interface Roots {
  /** Cadre's home. */
  readonly home: string;
  readonly project: string;
  readonly userHome: string;
}

/** As it is written into agents and shown to people: relative to the project, or to the user's home (`~/`). */
export function shownPath(path: string, { project, userHome }: Roots): string {
  if (isInside(path, project)) return relative(project, path);
  return isInside(path, userHome) ? `~/${relative(userHome, path)}` : path;
}

export function absolutePath(path: string, { project, userHome }: Roots): string {
  if (path.startsWith("~/")) return join(userHome, path.slice(2));
  return isAbsolute(path) ? path : resolve(project, path);
}
