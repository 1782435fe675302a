// With CADRE_RECORD=<folder>, what the CLIs say is kept there, one file for each test: the transcripts in
// test/backends/fixtures were made so. Paths of the machine are written as /project.
import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { Custody, Kept } from "../../src/ports/index.ts";

export function recorded(custody: Custody): Custody {
  const folder = process.env["CADRE_RECORD"];
  if (folder === undefined) return custody;
  mkdirSync(folder, { recursive: true });
  return {
    tier: custody.tier,
    open(owner) {
      const keep = custody.open(owner);
      return {
        spawn: (command) => teed(keep.spawn(command), command.cwd, join(folder, `${fileName()}.jsonl`)),
        endAll: () => keep.endAll(),
      };
    },
    sweep: (worker) => custody.sweep(worker),
  };
}

const fileName = (): string =>
  (expect.getState().currentTestName ?? "unnamed")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, 80);

function teed(kept: Kept, project: string, file: string): Kept {
  async function* stdout(): AsyncGenerator<Uint8Array> {
    let whole = "";
    for await (const chunk of kept.stdout) {
      whole += Buffer.from(chunk).toString("utf8");
      yield chunk;
    }
    appendFileSync(file, whole.replaceAll(project, "/project").replaceAll(project.replaceAll("/", "-"), "-project"));
  }
  return { ...kept, stdout: { [Symbol.asyncIterator]: stdout } };
}
