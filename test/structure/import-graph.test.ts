import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { drawGraph, graphDocument } from "../../scripts/import-graph.ts";
import { readSource, readSourceGraph, sourceFile } from "../../scripts/source-graph.ts";

it("the drawn import graph matches the code", () => {
  const exists = existsSync(fileURLToPath(new URL(`../../${graphDocument}`, import.meta.url)));
  const written = exists ? readSource(graphDocument) : "";
  expect(written, `${graphDocument} is stale: run \`npm run graph\``).toBe(drawGraph(readSourceGraph()));
});

it("the drawing shows folders from the top layer down and each import between two of them once", () => {
  const drawn = drawGraph([
    sourceFile("domain/task.ts", 'import { a } from "../schema/a.ts";\nimport type { B } from "../schema/b.ts";'),
    sourceFile("index.ts", 'export type { A } from "./schema/a.ts";'),
    sourceFile("schema/a.ts", 'import * as z from "zod";\nimport { b } from "./b.ts";'),
    sourceFile("schema/b.ts", ""),
  ]);
  const expected = [
    '  f_index_ts["index.ts"]',
    '  f_domain["domain"]',
    '  f_schema["schema"]',
    "  f_index_ts --> f_schema",
    "  f_domain --> f_schema",
    "```",
  ];
  expect(drawn).toContain(expected.join("\n"));
  expect(drawn).toContain("| `domain` | 1 | `schema` |");
  expect(drawn).toContain("| `schema` | 2 | nothing |");
});
