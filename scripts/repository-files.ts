import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Every file of the repository, new ones included and ignored ones left out, sorted. */
export function repositoryFiles(): string[] {
  const cwd = fileURLToPath(new URL("../", import.meta.url));
  const options = { cwd, encoding: "utf8", timeout: 10_000 } as const;
  const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], options);
  const files = listed.split("\0").filter((path) => path !== "" && existsSync(cwd + path));
  return [...new Set(files)].toSorted();
}
