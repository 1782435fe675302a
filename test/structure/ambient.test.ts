import { describe, expect, it } from "vitest";
import { ambientFolders, ambientUses } from "../../scripts/ambient.ts";
import { folderOf, listSources, readSource } from "../../scripts/source-graph.ts";

describe("the clock, chance, the process and the terminal", () => {
  it("are touched only where the real ones are handed out", () => {
    const guarded = listSources("src").filter((path) => !ambientFolders.includes(folderOf(path)));
    expect(guarded.flatMap((path) => ambientUses(path, readSource(`src/${path}`)))).toEqual([]);
  });
});

describe("the ambient check", () => {
  const ambient: [what: string, text: string][] = [
    ["Date.now", "const at = Date.now();"],
    ["Date.now", 'const at = Date["now"]();'],
    ["an alias of Date", "const { now } = Date;"],
    ["new Date()", "const at = new Date();"],
    ["new Date()", "const at = new Date;"],
    ["Date()", "const at = Date();"],
    ["performance", "const at = performance.now();"],
    ["node:perf_hooks", 'import { performance as p } from "node:perf_hooks";'],
    ["Math.random", "const dice = Math.random();"],
    ["crypto", "const id = crypto.randomUUID();"],
    ["node:crypto", 'import { randomUUID as fresh } from "node:crypto";'],
    ["node:crypto", 'import hashes from "node:crypto";'],
    ["process", "const home = process.env.HOME;"],
    ["process", "export const given = { process };"],
    ["node:process", 'import { env } from "node:process";'],
    ["console", 'console.error("no");'],
    ["setTimeout", "setTimeout(() => {}, 1);"],
    ["setInterval", "const every = setInterval;"],
    ["setImmediate", "await new Promise((resolve) => setImmediate(resolve));"],
    ["node:timers/promises", 'const { setTimeout: sleep } = await import("node:timers/promises");'],
    ["globalThis", "globalThis.process.exit();"],
  ];

  it.each(ambient)("finds %s in `%s`", (what, text) => {
    expect(ambientUses("engine/run.ts", text)).toContain(`engine/run.ts: ${what} is ambient (line 1)`);
  });

  const harmless = [
    "const at = new Date(millis);",
    'const at = Date.parse("2026-01-01");',
    "const top = Math.max(1, 2);",
    "const at = clock.now();",
    "clock.setTimeout(tick, 5);",
    "interface Host { process: string; console(line: string): void }",
    "const host = { process: 1, setTimeout() {} };",
    "type Start = (process: string) => void;",
    'import { createHash } from "node:crypto";',
    'import type { Hash } from "node:crypto";',
    "const text = 'process.exit() and Date.now()'; // console.log",
  ];

  it.each(harmless)("says nothing about `%s`", (text) => {
    expect(ambientUses("engine/run.ts", text)).toEqual([]);
  });
});
