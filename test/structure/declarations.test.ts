import { expect, it } from "vitest";
import { rewriteSpecifiers } from "../../scripts/declarations.ts";

it("relative .ts specifiers of declarations become .js, and nothing else changes", () => {
  const before = [
    'import type { A } from "./a.ts";',
    "export * from '../b/index.ts';",
    'export type C = import("./ä/c.ts").C | typeof import("./d.ts");',
    'export type { E } from "package/e.ts";',
    'export declare const text: "./f.ts";',
  ];
  const after = [
    'import type { A } from "./a.js";',
    "export * from '../b/index.js';",
    'export type C = import("./ä/c.js").C | typeof import("./d.js");',
    'export type { E } from "package/e.ts";',
    'export declare const text: "./f.ts";',
  ];
  expect(rewriteSpecifiers("index.d.ts", before.join("\n"))).toBe(after.join("\n"));
});
