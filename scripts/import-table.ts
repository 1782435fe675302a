import { folderOf, resolveRelative } from "./source-graph.ts";
import type { Reference, SourceFile } from "./source-graph.ts";

interface Row {
  /** The folders of src it may import besides itself. */
  readonly folders: readonly string[];
  /** The packages and Node modules it may import. */
  readonly outside: "any" | readonly string[];
}

const core = ["schema", "errors", "domain", "ports"];
const adapter: Row = { folders: [...core, "platform"], outside: "any" };
const adapters = {
  definitions: adapter,
  backends: adapter,
  models: adapter,
  tools: adapter,
  stores: adapter,
  memory: adapter,
  config: adapter,
  hosts: adapter,
  workspaces: adapter,
  confinement: adapter,
  gates: adapter,
  custody: adapter,
};
const protocol: Row = { folders: ["schema", "errors", "operations", "app"], outside: "any" };
const terminal: Row = { folders: [...protocol.folders, "http", "mcp", "acp", "a2a"], outside: "any" };

/** Who may import whom, lowest layer first. The order is also the order of the import graph's document. */
export const importTable: ReadonlyMap<string, Row> = new Map(
  Object.entries({
    schema: { folders: [], outside: ["zod"] },
    errors: { folders: [], outside: [] },
    platform: { folders: ["errors"], outside: "any" },
    domain: { folders: ["schema", "errors"], outside: [] },
    ports: { folders: ["schema", "errors"], outside: [] },
    loop: { folders: core, outside: [] },
    engine: { folders: core, outside: [] },
    ...adapters,
    operations: { folders: [...core, "engine"], outside: "any" },
    app: { folders: [...core, "platform", "loop", "engine", ...Object.keys(adapters), "operations"], outside: "any" },
    http: protocol,
    mcp: protocol,
    acp: protocol,
    a2a: protocol,
    cli: terminal,
    tui: terminal,
    testing: {
      folders: [...core, "platform", "engine", "stores", "backends", "workspaces", "confinement"],
      outside: "any",
    },
    "index.ts": { folders: ["schema", "errors", "ports", "app"], outside: "any" },
  } satisfies Record<string, Row>),
);

/** One message per import the table forbids, and per folder it does not know. */
export function forbiddenImports(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) => {
    const folder = folderOf(file.path);
    const row = importTable.get(folder);
    if (!row) return [`${file.path}: ${folder} has no row in the import table`];
    return file.references.flatMap((reference) => {
      const complaint = judge(file, folder, row, reference);
      return complaint === undefined ? [] : [`${file.path}: ${complaint} (line ${reference.line})`];
    });
  });
}

function judge(file: SourceFile, folder: string, row: Row, reference: Reference): string | undefined {
  const { kind, specifier } = reference;
  if (kind === "unresolvable") return `${specifier} hides what is imported`;
  const target = resolveRelative(file.path, specifier);
  if (target === undefined) return judgeOutside(folder, row, specifier);
  if (target.startsWith("..")) return `${folder} may not import ${specifier} from outside src`;
  const other = folderOf(target);
  return other === folder || row.folders.includes(other) ? undefined : `${folder} may not import ${other}`;
}

function judgeOutside(folder: string, row: Row, specifier: string): string | undefined {
  const name = packageName(specifier);
  if (name === undefined) return `${specifier} hides what is imported`;
  if (name === "cadre") return `${folder} may not import the package by its own name`;
  return row.outside === "any" || row.outside.includes(name) ? undefined : `${folder} may not import ${specifier}`;
}

/** `node:fs/promises` stays whole; paths, URLs and `#` aliases have no package name. */
function packageName(specifier: string): string | undefined {
  if (specifier.startsWith("node:")) return specifier;
  if (specifier.startsWith("/") || specifier.startsWith("#") || specifier.includes(":")) return undefined;
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}

/** Each cycle of value imports once, as the chain of its files. */
export function importCycles(files: readonly SourceFile[]): string[] {
  const targets = new Map(files.map((file) => [file.path, valueTargets(file)]));
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path);
    if (start >= 0) cycles.push([...trail.slice(start), path].join(" -> "));
    if (start >= 0 || done.has(path)) return;
    for (const target of targets.get(path) ?? []) visit(target, [...trail, path]);
    done.add(path);
  };
  for (const file of files) visit(file.path, []);
  return cycles;
}

function valueTargets(file: SourceFile): string[] {
  const values = file.references.filter((reference) => reference.kind !== "unresolvable" && !reference.typeOnly);
  return values.flatMap((reference) => resolveRelative(file.path, reference.specifier) ?? []);
}
