// Path prefixes, as policies name them. Pure text: whether a link leads elsewhere is for those who open files.
import type { WorkspaceBinding } from "../schema/index.ts";

/** `a/./b//c/../d` as `a/b/d`. A path that climbs out of where it began keeps its leading `..`. */
export function normalizePath(path: string): string {
  const isAbsolute = path.startsWith("/");
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part === ".." && parts.length > 0 && parts.at(-1) !== "..") parts.pop();
    else if (part !== ".." || !isAbsolute) parts.push(part);
  }
  const joined = parts.join("/");
  return isAbsolute ? `/${joined}` : joined === "" ? "." : joined;
}

/** Whether `path` is `scope` or lies below it. Both relative to the project, or both absolute. */
export function isWithin(path: string, scope: string): boolean {
  const inner = normalizePath(path);
  const outer = normalizePath(scope);
  if (inner === ".." || inner.startsWith("../")) return false;
  if (outer === ".") return !inner.startsWith("/");
  if (outer === "/") return inner.startsWith("/");
  return inner === outer || inner.startsWith(`${outer}/`);
}

export const isInScopes = (path: string, scopes: readonly string[]): boolean =>
  scopes.some((scope) => isWithin(path, scope));

/** The folder that a workspace is, from where the paths of its policy begin. */
export const folderIn = ({ mode, path }: WorkspaceBinding): string => (mode === "custom" ? "." : (path ?? "."));

/** What is written there comes into the project by a person only. */
export const isOwnTree = ({ mode }: WorkspaceBinding): boolean => mode === "worktree" || mode === "sandbox";

/** What both lists allow: of each nested pair, the deeper. */
export function intersectScopes(a: readonly string[], b: readonly string[]): string[] {
  const both = a.flatMap((x) => b.flatMap((y) => (isWithin(x, y) ? [x] : isWithin(y, x) ? [y] : [])));
  return [...new Set(both.map(normalizePath))];
}
