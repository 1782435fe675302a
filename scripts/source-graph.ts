import { readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { fileURLToPath } from "node:url";
import { child, identifierName, literalText, memberName, parseSource, walk } from "./syntax.ts";
import type { Node, Syntax } from "./syntax.ts";

export type ReferenceKind =
  | "import"
  | "export"
  | "dynamic-import"
  | "import-type"
  | "import-equals"
  | "module-declaration"
  | "unresolvable";

export interface Reference {
  readonly kind: ReferenceKind;
  /** What is written between the quotes; for an unresolvable one a word on what stands there instead. */
  readonly specifier: string;
  /** True when nothing of it is left at run time. */
  readonly typeOnly: boolean;
  readonly line: number;
}

export interface SourceFile {
  /** Relative to src, with forward slashes. */
  readonly path: string;
  readonly references: readonly Reference[];
}

type Finding = Omit<Reference, "line">;

const repositoryRoot = fileURLToPath(new URL("../", import.meta.url));

/** Every TypeScript file below a folder of the repository, sorted, relative to that folder. */
export function listSources(folder: string): string[] {
  return readdirSync(repositoryRoot + folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => posix.relative(repositoryRoot + folder, `${entry.parentPath}/${entry.name}`))
    .toSorted();
}

export function readSource(path: string): string {
  return readFileSync(repositoryRoot + path, "utf8");
}

export function readSourceGraph(): SourceFile[] {
  return listSources("src").map((path) => sourceFile(path, readSource(`src/${path}`)));
}

export function sourceFile(path: string, text: string): SourceFile {
  return { path, references: referencesOf(parseSource(path, text)) };
}

/** The path (relative to src) a relative specifier leads to, or undefined for any other specifier. */
export function resolveRelative(from: string, specifier: string): string | undefined {
  return isRelative(specifier) ? posix.join(posix.dirname(from), specifier) : undefined;
}

export function isRelative(specifier: string): boolean {
  return [".", ".."].includes(specifier) || specifier.startsWith("./") || specifier.startsWith("../");
}

/** The row of the import table a path belongs to: its first folder, or its name when it lies directly in src. */
export function folderOf(path: string): string {
  return path.split("/")[0] ?? path;
}

function referencesOf(syntax: Syntax): Reference[] {
  const found: Reference[] = [];
  walk(syntax.root, (node, parent) => {
    const finding = inspect(node, parent);
    if (finding) found.push({ ...finding, line: syntax.lineAt(node.start) });
  });
  for (const comment of syntax.comments) {
    if (!comment.value.startsWith("/") || !comment.value.slice(1).trimStart().startsWith("<reference")) continue;
    found.push({ ...unresolvable("a reference comment"), line: syntax.lineAt(comment.start) });
  }
  return found.filter((reference, index) => index === found.findIndex((other) => sameLoader(other, reference)));
}

/** `{ createRequire }` names it twice at one place; that is one finding. */
function sameLoader(one: Reference, other: Reference): boolean {
  const both = one.kind === "unresolvable" && other.kind === "unresolvable";
  return one === other || (both && one.specifier === other.specifier && one.line === other.line);
}

function inspect(node: Node, parent: Node | undefined): Finding | undefined {
  switch (node.type) {
    case "ImportDeclaration":
      return named("import", literalText(child(node, "source")), node["importKind"] === "type");
    case "ExportAllDeclaration":
    case "ExportNamedDeclaration":
      if (!child(node, "source")) return undefined;
      return named("export", literalText(child(node, "source")), node["exportKind"] === "type");
    case "ImportExpression":
      return named("dynamic-import", literalText(child(node, "source")), false);
    case "TSImportType":
      return named("import-type", literalText(child(node, "source")), true);
    case "TSExternalModuleReference":
      return named("import-equals", literalText(child(node, "expression")), parent?.["importKind"] === "type");
    case "TSModuleDeclaration": {
      const name = literalText(child(node, "id"));
      return name === undefined ? undefined : named("module-declaration", name, true);
    }
    default:
      return loader(node);
  }
}

/** Ways past the import syntax: the sources are ES modules, so none of them has a legitimate use. */
function loader(node: Node): Finding | undefined {
  if (node.type === "CallExpression" && identifierName(child(node, "callee")) === "require") {
    return unresolvable("require()");
  }
  const name = identifierName(node) ?? memberName(node);
  return name === "createRequire" || name === "getBuiltinModule" ? unresolvable(name) : undefined;
}

function named(kind: ReferenceKind, specifier: string | undefined, typeOnly: boolean): Finding {
  return specifier === undefined ? unresolvable(`a computed ${kind}`) : { kind, specifier, typeOnly };
}

function unresolvable(specifier: string): Finding {
  return { kind: "unresolvable", specifier, typeOnly: false };
}
