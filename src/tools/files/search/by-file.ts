import type { Hits, SearchEnd } from "./search-wish.ts";

export interface FileHits {
  readonly path: string;
  /** The first of its lines, as many as anybody shows. */
  readonly lines: readonly number[];
  readonly times: number;
}

const MAX_LINES = 1_000;

/** Hits come file by file; here each file comes once. */
export async function* byFile(hits: Hits): AsyncGenerator<FileHits, SearchEnd, void> {
  let current: { path: string; lines: number[]; times: number } | undefined;
  try {
    for (let step = await hits.next(); ; step = await hits.next()) {
      if (current !== undefined && (step.done === true || step.value.path !== current.path)) {
        yield current;
        current = undefined;
      }
      if (step.done === true) return step.value;
      const { path, line } = step.value;
      current ??= { path, lines: [], times: 0 };
      current.times++;
      if (current.lines.length < MAX_LINES) current.lines.push(line);
    }
  } finally {
    await hits.return({ kind: "all" });
  }
}
