import { child, children, identifierName, literalText, memberName, parseSource, walk } from "./syntax.ts";
import type { Node } from "./syntax.ts";

const runners = new Set(["it", "test", "describe", "suite"]);
const leftOut = new Set(["skip", "only", "todo"]);
const moduleMocks = new Set(["mock", "doMock"]);

/** One message per module mock and per test that is left out, singled out or not written. */
export function badHabits(path: string, text: string): string[] {
  const syntax = parseSource(path, text);
  const found: string[] = [];
  walk(syntax.root, (node) => {
    const what = mockedModule(node) ?? leftOutMember(node) ?? leftOutOption(node);
    if (what !== undefined) found.push(`${path}: ${what} (line ${syntax.lineAt(node.start)})`);
  });
  return found;
}

function mockedModule(node: Node): string | undefined {
  const name = memberName(node);
  const owner = identifierName(child(node, "object"));
  const mocks = (owner === "vi" || owner === "vitest") && name !== undefined && moduleMocks.has(name);
  return mocks ? `${owner}.${name}` : undefined;
}

function leftOutMember(node: Node): string | undefined {
  const name = memberName(node);
  const root = rootName(child(node, "object"));
  const out = name !== undefined && root !== undefined && leftOut.has(name) && runners.has(root);
  return out ? `${root}.${name}` : undefined;
}

/** `it("…", { skip: true }, …)` */
function leftOutOption(node: Node): string | undefined {
  const root = node.type === "CallExpression" ? rootName(child(node, "callee")) : undefined;
  if (root === undefined || !runners.has(root)) return undefined;
  const options = children(node, "arguments").filter((argument) => argument.type === "ObjectExpression");
  const keys = options.flatMap((option) => children(option, "properties").map((property) => child(property, "key")));
  const key = keys.map((one) => identifierName(one) ?? literalText(one)).find((name) => name && leftOut.has(name));
  return key === undefined ? undefined : `${root} with the option ${key}`;
}

/** `it` in `it.each(rows).only`. */
function rootName(node: Node | undefined): string | undefined {
  let at = node;
  while (at && at.type !== "Identifier") at = child(at, "object") ?? child(at, "callee") ?? child(at, "tag");
  return identifierName(at);
}
