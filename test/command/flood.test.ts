import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const FLOOD = fileURLToPath(new URL("fixtures/flood.ts", import.meta.url));
const BYTES = 300_000_000;
const MEGABYTE = 1024 * 1024;

it.each([
  ["output", "1", { length: 100 * 1024, truncated: true }],
  ["errors", "2", { length: 0, truncated: false }],
])(
  "300 MB of %s on one line are shown and counted, and not held in memory",
  (_what, stream, kept) => {
    const text = execFileSync(process.execPath, [FLOOD, String(BYTES), stream], { encoding: "utf8", timeout: 50_000 });
    const { shown, grownBy, kept: found } = JSON.parse(text) as { shown: number; grownBy: number; kept: unknown };
    expect(shown).toBe(BYTES);
    expect(found).toEqual(kept);
    expect(grownBy).toBeLessThan(100 * MEGABYTE);
  },
  60_000,
);
