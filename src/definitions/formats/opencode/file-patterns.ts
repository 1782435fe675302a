// Patterns of paths. opencode's `*` goes through folders, ours stays in one and `**` goes on.

/** Ours for theirs, only where both fit the same files. */
export function fileSpec(pattern: string): string | undefined {
  const path = pattern.replace(/^\.\//, "");
  if (!/[*?]/.test(path)) return path;
  const folder = /^([^*?]+)\/\*+$/.exec(path)?.[1];
  if (folder !== undefined) return `${folder}/**`;
  const ending = /^\*+(\.[^*?/]+)$/.exec(path)?.[1];
  return ending === undefined ? undefined : `**/*${ending}`;
}

/** Theirs for ours. `isWide` where theirs may fit more. */
export function filePattern(spec: string): { readonly pattern: string; readonly isWide: boolean } {
  if (/^\*+$/.test(spec)) return { pattern: "*", isWide: false };
  const pattern = spec
    .replace(/^\.?\//, "")
    .replace(/^\*\*\/\*(?=\.)/, "*")
    .replace(/\/\*\*$/, "/*");
  return { pattern, isWide: fileSpec(pattern) !== spec.replace(/^\.?\//, "") };
}
