/** `Code Reviewer` is `code-reviewer`; undefined where nothing is left of it. */
export function slugOf(text: string): string | undefined {
  const slug = text
    .slice(0, 256)
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9_]+/g, "-")
    .slice(0, 64)
    .replaceAll(/^-+|-+$/g, "");
  return slug === "" ? undefined : slug;
}
