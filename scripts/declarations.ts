import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { isRelative } from "./source-graph.ts";
import { child, literalText, parseSource, walk } from "./syntax.ts";
import type { Node } from "./syntax.ts";

/**
 * The compiler rewrites relative `.ts` specifiers in JavaScript but leaves them in declarations, where they name
 * files that the package does not contain.
 */
export function rewriteSpecifiers(path: string, text: string): string {
  const literals: Node[] = [];
  walk(parseSource(path, text).root, (node) => {
    const source = child(node, "source");
    const specifier = literalText(source);
    if (source && specifier !== undefined && isRelative(specifier) && isTypeScript(specifier)) literals.push(source);
  });
  const lastFirst = literals.toSorted((one, other) => other.start - one.start);
  return lastFirst.reduce((done, { end }) => `${done.slice(0, end - ".ts'".length)}.js${done.slice(end - 1)}`, text);
}

export function rewriteDeclarations(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith(".d.ts")) continue;
    const path = `${entry.parentPath}/${entry.name}`;
    writeFileSync(path, rewriteSpecifiers(path, readFileSync(path, "utf8")));
  }
}

function isTypeScript(specifier: string): boolean {
  return specifier.endsWith(".ts") && !specifier.endsWith(".d.ts");
}
