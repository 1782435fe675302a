// A `tool.yml` as text: understood, or every mistake in it with its line and column.
import { type Document, isScalar, LineCounter, parseDocument, type ParsedNode, visit } from "yaml";
import type * as z from "zod";
import { nearest } from "../../domain/nearest.ts";
import { checkCommand } from "./check-command.ts";
import { Manifest } from "./manifest.ts";

export type ManifestRead =
  | { readonly ok: true; readonly manifest: Manifest }
  | { readonly ok: false; readonly problems: readonly string[] };

const OPTIONS = {
  schema: "core",
  merge: false,
  resolveKnownTags: false,
  stringKeys: true,
  prettyErrors: false,
  logLevel: "error",
} as const;

type Path = readonly PropertyKey[];

/** `folder` is the name of the folder that the file lies in: a tool is called as its folder is. */
export function readManifest(text: string, source: string, folder: string): ManifestRead {
  const lines = new LineCounter();
  const problems: string[] = [];
  const report = (offset: number, what: string): void => {
    const { line, col } = lines.linePos(offset);
    problems.push(`${source}:${Math.max(1, line)}:${Math.max(1, col)}: ${what}`);
  };
  const document = parse(text, lines, report);
  if (document === null) return { ok: false, problems };
  const place = (path: Path): number => offsetOf(document, path);
  const parsed = Manifest.safeParse(document.toJS({ maxAliasCount: 0 }));
  if (!parsed.success) {
    for (const issue of parsed.error.issues) explain(issue, place, report);
    return { ok: false, problems };
  }
  const manifest = parsed.data;
  if (manifest.name !== folder)
    report(place(["name"]), `the name must be that of its folder, ${JSON.stringify(folder)}`);
  for (const { path, what } of checkCommand(manifest)) report(place(path), what);
  return problems.length === 0 ? { ok: true, manifest } : { ok: false, problems };
}

type Report = (offset: number, what: string) => void;

function parse(text: string, lineCounter: LineCounter, report: Report): Document.Parsed | null {
  try {
    const document = parseDocument(text, { ...OPTIONS, lineCounter });
    const [error] = [...document.errors, ...document.warnings];
    if (error !== undefined) report(error.pos[0], error.message.split("\n")[0] ?? "this is not YAML");
    else if (hasAlias(document)) report(0, "aliases (*name) are not supported");
    else if (document.contents === null) report(0, "the file is empty");
    else return document;
  } catch (error) {
    report(0, `this is not YAML that can be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  return null;
}

function hasAlias(document: Document.Parsed): boolean {
  let found = false;
  visit(document, {
    Alias() {
      found = true;
      return visit.BREAK;
    },
  });
  return found;
}

function explain(issue: z.core.$ZodIssue, place: (path: Path) => number, report: Report): void {
  const { path } = issue;
  const name = path.join(".");
  if (issue.code === "unrecognized_keys") {
    for (const key of issue.keys)
      report(place([...path, key]), `unknown key ${JSON.stringify(key)}${meant(key, path)}`);
    return;
  }
  report(place(path), name === "" ? "the file must hold a map of settings" : `${name}: ${issue.message}`);
}

function meant(key: string, path: Path): string {
  const guess = path.length === 0 ? nearest(key, Object.keys(Manifest.shape)) : undefined;
  return guess === undefined ? "" : `; did you mean "${guess}"?`;
}

/** Of the key that leads there, or of what is missing it. */
function offsetOf(document: Document.Parsed, path: Path): number {
  for (let above = path; above.length > 0; above = above.slice(0, -1)) {
    const offset = keyOffset(document, above);
    if (offset !== undefined) return offset;
  }
  return 0;
}

function keyOffset(document: Document.Parsed, path: Path): number | undefined {
  const last = path.at(-1);
  const parent: unknown = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true);
  if (typeof parent !== "object" || parent === null || !("items" in parent) || !Array.isArray(parent.items))
    return undefined;
  for (const [index, item] of parent.items.entries()) {
    if (typeof item !== "object" || item === null) continue;
    if ("key" in item && isScalar(item.key) && item.key.value === last) return rangeStart(item.key);
    if (!("key" in item) && index === last) return rangeStart(item);
  }
  return undefined;
}

const rangeStart = (node: object): number | undefined => (node as Partial<Pick<ParsedNode, "range">>).range?.[0];
