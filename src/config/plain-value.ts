// A value of a configuration that is a map of whatever depth, as plain data. What YAML would read in two ways is refused.
import { isAlias, isMap, isScalar, isSeq } from "yaml";

const MAX_DEPTH = 32;

export type PlainValue = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly what: string };

export function plainValue(node: unknown, depth = 0): PlainValue {
  if (depth > MAX_DEPTH) return refuse(`this is nested more than ${MAX_DEPTH} deep`);
  if (isAlias(node)) return refuse("aliases are not supported here");
  if (isSeq(node)) {
    const items = node.items.map((item) => plainValue(item, depth + 1));
    return items.find((item) => !item.ok) ?? { ok: true, value: items.map((item) => (item.ok ? item.value : null)) };
  }
  if (!isMap(node)) return { ok: true, value: isScalar(node) ? node.value : null };
  const entries = new Map<string, unknown>();
  for (const { key, value } of node.items) {
    const name = isScalar(key) ? String(key.value) : "";
    const plain = plainValue(value, depth + 1);
    if (name === "__proto__") return refuse('"__proto__" cannot be a key');
    if (entries.has(name)) return refuse(`${JSON.stringify(name)} stands there twice`);
    if (!plain.ok) return plain;
    entries.set(name, plain.value);
  }
  return { ok: true, value: Object.fromEntries(entries) };
}

const refuse = (what: string): PlainValue => ({ ok: false, what });
