// JSON, and JSON with comments and trailing commas, as some programs take it.
import { type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import type { Json } from "../../schema/index.ts";
import { insertProperty, insertWhole } from "./json-insert.ts";
import { endOf, isBlank, propertyOf } from "./json-nodes.ts";
import { isHollow, withoutProperty } from "./json-remove.ts";
import type { TextFormat } from "./text-format.ts";
import { placeIn, TextProblem } from "./text-problem.ts";
import { checkDepth, leaf, type Pair, type Tree } from "./tree.ts";

/** `lenient`: comments and trailing commas are no mistake. */
export function jsonText({ lenient }: { readonly lenient: boolean }): TextFormat {
  const read = (text: string): Node | undefined => {
    const errors: ParseError[] = [];
    const root = parseTree(text, errors, { disallowComments: !lenient, allowTrailingComma: lenient });
    if (root === undefined && (lenient ? isBlank(text) : text.trim() === "")) return undefined;
    const [error] = errors;
    if (error !== undefined) throw new TextProblem(inWords(error), placeIn(text, error.offset));
    return root;
  };
  return {
    parse(text) {
      const root = read(text);
      return root === undefined ? { kind: "map", pairs: [] } : treeOfNode(root, text, 0);
    },
    insert(text, keys, value) {
      const root = read(text);
      if (root === undefined) return [insertWhole(text, nested(keys, value))];
      const [parent, missing] = innermost(root, keys);
      const [name, ...more] = missing;
      return name === undefined ? [] : [insertProperty(text, root, parent, name, nested(more, value))];
    },
    remove(text, keys, keepDepth) {
      let result = text;
      for (let depth = keys.length; depth > Math.min(keepDepth, keys.length - 1); depth--) {
        const root = read(result);
        const [parent, missing] = root === undefined ? [undefined, keys] : innermost(root, keys.slice(0, depth - 1));
        if (parent === undefined || missing.length > 0) return null;
        const property = propertyOf(parent, keys[depth - 1] ?? "");
        const value = property?.children?.[1];
        if (property === undefined || value === undefined) return null;
        if (depth < keys.length && !isHollow(result, value)) break;
        result = withoutProperty(result, parent, property);
      }
      return result;
    },
  };
}

function treeOfNode(node: Node, text: string, depth: number): Tree {
  checkDepth(depth);
  const children = node.children ?? [];
  if (node.type === "array") return { kind: "list", items: children.map((one) => treeOfNode(one, text, depth + 1)) };
  if (node.type === "object") return { kind: "map", pairs: children.map((one) => pairOf(one, text, depth + 1)) };
  // As it is written: a number may hold more digits than ours can.
  if (node.type === "number") return { kind: "leaf", text: text.slice(node.offset, endOf(node)) };
  return leaf(node.value);
}

function pairOf({ children: [key, value] = [] }: Node, text: string, depth: number): Pair {
  return [String(key?.value), value === undefined ? leaf(null) : treeOfNode(value, text, depth)];
}

const nested = (keys: readonly string[], value: Json): Json =>
  keys.reduceRight<Json>((inner, key) => ({ [key]: inner }), value);

/** The innermost object on the way that is there, and the keys that are not. */
function innermost(root: Node, keys: readonly string[]): [Node, readonly string[]] {
  let here = root;
  for (const [depth, key] of keys.entries()) {
    const child = propertyOf(here, key)?.children?.[1];
    if (child?.type !== "object") return [here, keys.slice(depth)];
    here = child;
  }
  return [here, []];
}

/** `CommaExpected`, as people write it. */
const inWords = ({ error }: ParseError): string =>
  printParseErrorCode(error)
    .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase();
