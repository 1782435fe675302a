import { describe, expect, it } from "vitest";
import { forbiddenImports, importCycles, importTable } from "../../scripts/import-table.ts";
import { readSourceGraph, sourceFile } from "../../scripts/source-graph.ts";

function complaints(path: string, text: string): string[] {
  return forbiddenImports([sourceFile(path, text)]);
}

describe("the imports of src", () => {
  const graph = readSourceGraph();

  it("keep to the import table", () => {
    expect(graph.length).toBeGreaterThan(0);
    expect(forbiddenImports(graph)).toEqual([]);
  });

  it("form no cycle of value imports", () => {
    expect(importCycles(graph)).toEqual([]);
  });
});

describe("the import table", () => {
  it("names only folders that have a row themselves", () => {
    const named = [...importTable.values()].flatMap((row) => row.folders);
    expect(named.filter((folder) => !importTable.has(folder))).toEqual([]);
  });

  it("allows no two folders to import each other", () => {
    const pairs = [...importTable].flatMap(([folder, row]) => row.folders.map((other) => [folder, other] as const));
    const mutual = pairs.filter(([folder, other]) => importTable.get(other)?.folders.includes(folder));
    expect(mutual).toEqual([]);
  });
});

describe("the import check", () => {
  it("finds a forbidden static import", () => {
    const text = `import { run } from "../../engine/run.ts";`;
    expect(complaints("cli/commands/show.ts", text)).toEqual([
      "cli/commands/show.ts: cli may not import engine (line 1)",
    ]);
  });

  it("finds a forbidden export from another folder", () => {
    const expected = ["ports/index.ts: ports may not import platform (line 1)"];
    expect(complaints("ports/index.ts", `export { now } from "../platform/clock.ts";`)).toEqual(expected);
    expect(complaints("ports/index.ts", `export * from "../platform/clock.ts";`)).toEqual(expected);
  });

  it("finds a forbidden dynamic import, wherever it stands", () => {
    const text = `export async function load() {\n  return (await import("../gates/run.ts")).run;\n}`;
    expect(complaints("stores/load.ts", text)).toEqual(["stores/load.ts: stores may not import gates (line 2)"]);
    expect(complaints("stores/load.ts", "await import(`../gates/run.ts`);")).toHaveLength(1);
  });

  it("finds a forbidden type import in each of its spellings", () => {
    const expected = ["domain/task.ts: domain may not import ports (line 1)"];
    expect(complaints("domain/task.ts", `import type { Clock } from "../ports/clock.ts";`)).toEqual(expected);
    expect(complaints("domain/task.ts", `import { type Clock } from "../ports/clock.ts";`)).toEqual(expected);
    expect(complaints("domain/task.ts", `export type * from "../ports/clock.ts";`)).toEqual(expected);
    expect(complaints("domain/task.ts", `type Clock = import("../ports/clock.ts").Clock;`)).toEqual(expected);
    expect(complaints("domain/task.ts", `let clock: typeof import("../ports/clock.ts");`)).toEqual(expected);
    expect(complaints("domain/task.ts", `import clock = require("../ports/clock.ts");`)).toEqual(expected);
    expect(complaints("domain/task.ts", `declare module "../ports/clock.ts" {}`)).toEqual(expected);
  });

  it("finds imports whose target cannot be read", () => {
    const hidden = [
      "await import(name);",
      'await import("../eng" + "ine/run.ts");',
      "await import(`../${folder}/run.ts`);",
      'const zod = require("zod");',
      'import { createRequire } from "node:module";',
      'import * as loader from "node:module"; loader["createRequire"](here);',
      'const fs = host.getBuiltinModule("node:fs");',
      'await import("#engine");',
      'await import("data:text/javascript,0");',
      '/// <reference path="../engine/run.ts" />',
    ];
    for (const text of hidden) {
      const found = complaints("app/load.ts", text);
      expect(found, text).toHaveLength(1);
      expect(found[0]).toContain("hides what is imported");
    }
  });

  it("holds the modules from outside to the table", () => {
    expect(complaints("schema/task.ts", `import { z } from "zod/v4";`)).toEqual([]);
    expect(complaints("schema/task.ts", `import { parse } from "yaml";`)).toEqual([
      "schema/task.ts: schema may not import yaml (line 1)",
    ]);
    expect(complaints("engine/run.ts", `import type { Stats } from "node:fs";`)).toEqual([
      "engine/run.ts: engine may not import node:fs (line 1)",
    ]);
    expect(complaints("cli/main.ts", `import { Command } from "commander";`)).toEqual([]);
    expect(complaints("cli/main.ts", `import { openCadre } from "cadre";`)).toHaveLength(1);
    expect(complaints("cli/main.ts", `import settings from "../../vitest.config.ts";`)).toHaveLength(1);
  });

  it("refuses a folder without a row and a loose file in src", () => {
    expect(complaints("helpers/text.ts", "export {};")).toEqual([
      "helpers/text.ts: helpers has no row in the import table",
    ]);
    expect(complaints("util.ts", "export {};")).toEqual(["util.ts: util.ts has no row in the import table"]);
  });

  it("says nothing about what is allowed", () => {
    const text = `import { a } from "./other.ts";\nimport type { Store } from "../../ports/store.ts";\nimport fs from "node:fs";`;
    expect(complaints("stores/memory/index.ts", text)).toEqual([]);
  });
});

describe("the cycle check", () => {
  it("finds a cycle of value imports, dynamic ones included", () => {
    const files = [
      sourceFile("engine/a.ts", `import { b } from "./b.ts";`),
      sourceFile("engine/b.ts", `import "./sub/c.ts";`),
      sourceFile("engine/sub/c.ts", `export const later = () => import("../a.ts");`),
    ];
    expect(importCycles(files)).toEqual(["engine/a.ts -> engine/b.ts -> engine/sub/c.ts -> engine/a.ts"]);
  });

  it("lets types refer to each other", () => {
    const files = [
      sourceFile("engine/a.ts", `import { b } from "./b.ts";`),
      sourceFile("engine/b.ts", `import type { A } from "./a.ts";`),
    ];
    expect(importCycles(files)).toEqual([]);
  });
});
