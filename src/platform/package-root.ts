import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Where this package is installed: its own files (the demo, built-in agents) lie below. */
export function packageRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "package.json"))) {
    const above = dirname(folder);
    if (above === folder) throw new Error("this installation has lost its package.json");
    folder = above;
  }
  return folder;
}

export function packageVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(join(packageRoot(), "package.json"), "utf8"));
  const hasVersion = typeof manifest === "object" && manifest !== null && "version" in manifest;
  return hasVersion ? String(manifest.version) : "unknown";
}
