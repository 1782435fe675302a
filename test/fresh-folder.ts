import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A folder of its own for the test that calls it, by its real path, gone when the test is over. */
export function freshFolder(name: string): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), `cadre-${name}-`)));
  // Whoever was ended a moment ago may still be writing there.
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }));
  return folder;
}
