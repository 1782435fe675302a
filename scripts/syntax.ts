import { parseSync } from "oxc-parser";

/** One node of the syntax tree, read generically: a new kind of syntax is walked without a change here. */
export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

export interface Comment {
  readonly value: string;
  readonly start: number;
}

export interface Syntax {
  readonly path: string;
  readonly root: Node;
  readonly comments: readonly Comment[];
  readonly lineAt: (offset: number) => number;
}

export type Visit = (node: Node, parent: Node | undefined, key: string) => void;

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

export function parseSource(path: string, text: string): Syntax {
  const result = parseSync(path, text, { preserveParens: false });
  const first = result.errors[0];
  if (first) throw new Error(`${path} does not parse: ${first.message}\nhint: run \`npm run typecheck\`.`);
  const root: unknown = result.program;
  if (!isNode(root)) throw new Error(`${path} has no syntax tree.\nhint: the parser's output changed, see scripts/.`);
  return { path, root, comments: result.comments, lineAt: (offset) => text.slice(0, offset).split("\n").length };
}

export function walk(root: Node, visit: Visit): void {
  step(root, undefined, "", visit);
}

function step(node: Node, parent: Node | undefined, key: string, visit: Visit): void {
  visit(node, parent, key);
  for (const name of Object.keys(node)) {
    for (const below of children(node, name)) step(below, node, name, visit);
  }
}

/** The nodes under a key, be it one, a list or none. */
export function children(node: Node, key: string): Node[] {
  const value = node[key];
  const values: unknown[] = Array.isArray(value) ? value : [value];
  return values.filter(isNode);
}

/** The node under a key. */
export function child(node: Node, key: string): Node | undefined {
  const value = node[key];
  return isNode(value) ? value : undefined;
}

export function identifierName(node: Node | undefined): string | undefined {
  return node?.type === "Identifier" && typeof node["name"] === "string" ? node["name"] : undefined;
}

/** The text of a string literal or of a template without holes. */
export function literalText(node: Node | undefined): string | undefined {
  if (node?.type === "Literal" && typeof node["value"] === "string") return node["value"];
  if (node?.type !== "TemplateLiteral") return undefined;
  const [only, ...others] = children(node, "quasis");
  const value = only?.["value"];
  if (others.length > 0 || typeof value !== "object" || value === null || !("cooked" in value)) return undefined;
  return typeof value.cooked === "string" ? value.cooked : undefined;
}

/** The property's name in `a.name` and `a["name"]`. */
export function memberName(node: Node): string | undefined {
  if (node.type !== "MemberExpression") return undefined;
  const property = child(node, "property");
  return node["computed"] === true ? literalText(property) : identifierName(property);
}
