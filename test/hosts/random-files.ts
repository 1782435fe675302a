// Files as people and programs write them: any style, with comments, of any content.
import * as fc from "fast-check";
import { stringify } from "yaml";

const key = fc.oneof(
  fc.constantFrom("mcpServers", "mcp_servers", "extensions", "other", "__proto__", "constructor", "a-b", "x.y", "1"),
  fc.string({ maxLength: 6 }),
);
const scalar = fc.oneof(
  fc.integer(),
  fc.boolean(),
  fc.string({ maxLength: 12 }),
  fc.constantFrom("//", "#", "}", "[x]"),
);
const style = fc.record({
  unit: fc.constantFrom("", " ", "  ", "    ", "\t"),
  comments: fc.boolean(),
  trailing: fc.boolean(),
  isOneLine: fc.boolean(),
  crlf: fc.boolean(),
  bom: fc.boolean(),
  endsOpen: fc.boolean(),
});
type Style = typeof style extends fc.Arbitrary<infer T> ? T : never;

type Value = string | number | boolean | Value[] | Map<string, Value>;

const { value: anyValue } = fc.letrec<{ value: Value; map: Map<string, Value> }>((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, scalar, fc.array(tie("value"), { maxLength: 3 }), tie("map")),
  map: fc.array(fc.tuple(key, tie("value")), { maxLength: 4 }).map((pairs) => new Map(pairs)),
}));

/** An outermost map whose `container` is a map, is empty, or is not there. */
const document = (container: string): fc.Arbitrary<Map<string, Value>> => {
  const map = fc.array(fc.tuple(key, anyValue), { maxLength: 4 });
  return fc.tuple(map, fc.option(map), fc.nat(4)).map(([pairs, inner, place]) => {
    const others = pairs.filter(([name]) => name !== container);
    if (inner !== null) {
      const servers = new Map(inner.filter(([name]) => name !== "cadre"));
      others.splice(place, 0, [container, servers]);
    }
    return new Map(others);
  });
};

const finished = (text: string, { crlf, bom, endsOpen }: Style): string =>
  (bom ? "\uFEFF" : "") + (endsOpen ? text : `${text}\n`).replaceAll("\n", crlf ? "\r\n" : "\n");

export function jsonFile(container: string, lenient: boolean): fc.Arbitrary<string> {
  return fc.tuple(document(container), style).map(([map, one]) => {
    const how = lenient ? one : { ...one, comments: false, trailing: false };
    return finished(`${how.comments ? "// top\n" : ""}${writeJson(map, how, "")}${how.comments ? " // end" : ""}`, how);
  });
}

function writeJson(value: Value, how: Style, indent: string): string {
  if (!(value instanceof Map) && !Array.isArray(value)) return JSON.stringify(value);
  const [open, close] = value instanceof Map ? ["{", "}"] : ["[", "]"];
  const inner = indent + how.unit;
  const items =
    value instanceof Map
      ? [...value].map(
          ([name, one]) => `${JSON.stringify(name)}:${how.unit === "" ? "" : " "}${writeJson(one, how, inner)}`,
        )
      : value.map((one) => writeJson(one, how, inner));
  if (how.isOneLine)
    return `${open}${items.join(", ")}${how.trailing && items.length > 0 ? "," : ""}${how.comments ? "/* in */" : ""}${close}`;
  const last = items.length - 1;
  const lines = items.map((item, index) => {
    const comma = index < last || how.trailing ? "," : "";
    return `\n${how.comments ? `${inner}// before\n` : ""}${inner}${item}${comma}${how.comments ? " // behind" : ""}`;
  });
  if (items.length === 0 && !how.comments) return `${open}${close}`;
  return `${open}${lines.join("")}${how.comments ? `\n${inner}/* last */` : ""}\n${indent}${close}`;
}

const tomlKey = (name: string): string => JSON.stringify(name).replaceAll("\u007F", "\\u007F");

function writeToml(value: Value): string {
  if (value instanceof Map)
    return `{ ${[...value].map(([name, one]) => `${tomlKey(name)} = ${writeToml(one)}`).join(", ")} }`;
  if (Array.isArray(value)) return `[\n  # in a list ] "\n${value.map((one) => `  ${writeToml(one)},\n`).join("")}]`;
  return typeof value === "string" ? tomlKey(value) : String(value);
}

const LONG = [
  '"""\n[mcp_servers.cadre]\n# no comment\n"quoted" \\" """',
  "'''\n[mcp_servers.cadre]\n'''",
  '""""long""""',
];

/** Tables of servers, with other statements around them. */
export const tomlFile: fc.Arbitrary<string> = fc
  .tuple(document("mcp_servers"), style, fc.array(fc.constantFrom(...LONG), { maxLength: 2 }), fc.boolean())
  .map(([map, how, long, below]) => {
    const servers = map.get("mcp_servers");
    const top = [...map]
      .filter(([name]) => name !== "mcp_servers")
      .map(([name, one]) => `${tomlKey(name)} = ${writeToml(one)}`);
    const tables =
      servers instanceof Map
        ? [...servers].flatMap(([name, one]) => [
            "",
            `[mcp_servers.${tomlKey(name)}] # a server`,
            `it = ${writeToml(one)}`,
            "# behind it",
          ])
        : [];
    const strings = ["", "[strings]", ...long.map((text, index) => `s${index} = ${text}`)];
    const lines = [
      ...(how.comments ? ["# top"] : []),
      ...top,
      ...(below ? [...tables, ...strings] : [...strings, ...tables]),
    ];
    return finished(lines.join("\n"), how);
  });

export const yamlFile: fc.Arbitrary<string> = fc
  .tuple(document("extensions"), style, fc.constantFrom("PLAIN", "QUOTE_DOUBLE", "BLOCK_LITERAL"), fc.boolean())
  .map(([map, how, stringType, starts]) => {
    const options = {
      defaultStringType: stringType as "PLAIN",
      defaultKeyType: "PLAIN" as const,
      indent: how.unit.length + 1,
      lineWidth: 0,
    };
    const text = map.size === 0 ? "" : stringify(map, options).replace(/\n$/, "");
    const commented = how.comments ? `# top\n${text}\n# end` : text;
    return finished(starts ? `---\n${commented}` : commented, how);
  });
