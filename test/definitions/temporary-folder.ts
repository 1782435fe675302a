import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

/** A folder of its own for the test that calls it, by its real path, gone when the test is over. */
export async function temporaryFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "cadre-definitions-")));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Writes files by their paths below a folder. */
export async function write(folder: string, files: Readonly<Record<string, string | Uint8Array>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    const full = join(folder, path);
    await mkdir(dirname(full), { recursive: true });
    await writeFile(full, content);
  }
}
