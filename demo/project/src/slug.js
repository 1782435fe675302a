/** "Hello, World" becomes "hello-world". */
export function slug(title) {
  return title
    .toLowerCase()
    .replace(" ", "-")
    .replace(/[^a-z0-9-]/g, "");
}
