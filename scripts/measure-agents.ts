// Reads whole collections of other programs' agents and counts what becomes of them. It fetches and writes nothing:
//   node scripts/measure-agents.ts claude:/path/to/agents copilot:/another/path
// Prints a table in Markdown, then why files were refused, and last how Claude Code's own rules compare.
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { parseDocument } from "yaml";
import { formatNamed } from "../src/definitions/conversion/format-named.ts";
import type { Format, Reading } from "../src/definitions/formats/format.ts";
import { loadFormat, PLACES } from "../src/definitions/formats/index.ts";
import { toolsCalled } from "../src/domain/tool-names.ts";

interface Measured {
  files: number;
  loaded: number;
  repaired: number;
  narrowed: number;
  refused: number;
  /** Files that are read as no agent at all: notes for people, settings without agents. */
  empty: number;
  crashes: number;
  /** By Claude Code's own rules it would load. */
  claudeLoads: number;
  /** Of these, how many are here by the same name and with the same tools. */
  claudeSame: number;
}

const reasons = new Map<string, number>();
const differing: string[] = [];

async function measure(format: Format, folder: string): Promise<Measured> {
  const counts = { files: 0, loaded: 0, repaired: 0, narrowed: 0, refused: 0, empty: 0, crashes: 0 };
  const all: Measured = { ...counts, claudeLoads: 0, claudeSame: 0 };
  const endings = [...new Set(PLACES[format.id].flatMap((place) => place.endings))];
  for (const path of filesIn(folder).filter((file) => endings.some((ending) => file.endsWith(ending)))) {
    const text = readFileSync(path, "utf8");
    all.files += 1;
    try {
      const readings = format.read({ path, below: relative(folder, path), text });
      count(all, readings);
      if (format.id === "claude") compareWithClaude(all, text, readings, format, path);
    } catch (error) {
      all.crashes += 1;
      process.stderr.write(`${path}: ${error instanceof Error ? (error.stack ?? "") : String(error)}\n`);
    }
  }
  return all;
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
}

function count(all: Measured, readings: readonly Reading[]): void {
  if (readings.length === 0) all.empty += 1;
  for (const reading of readings) {
    if (reading.ok) {
      const has = (kind: string) => reading.remarks.some((remark) => remark.kind === kind);
      all.loaded += 1;
      if (has("repaired")) all.repaired += 1;
      if (has("narrowed")) all.narrowed += 1;
    } else {
      all.refused += 1;
      const why = reading.problem.replace(/^[^:]*: /, "");
      reasons.set(why, (reasons.get(why) ?? 0) + 1);
    }
  }
}

interface Theirs {
  readonly name: string;
  readonly tools: readonly string[] | undefined;
}

/** What Claude Code loads: settings that a strict parser takes, a name and a description, and a name that it takes. */
function byItsOwnRules(text: string): Theirs | undefined {
  const yaml = /^---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(text)?.[1];
  if (yaml === undefined) return undefined;
  const document = parseDocument(yaml);
  if (document.errors.length > 0) return undefined;
  const settings: unknown = document.toJS();
  if (typeof settings !== "object" || settings === null) return undefined;
  const [name, description, tools]: unknown[] = ["name", "description", "tools"].map((key) =>
    Reflect.get(settings, key),
  );
  if (typeof name !== "string" || typeof description !== "string" || name === "" || description === "")
    return undefined;
  return name.startsWith("-") || name.includes(":") ? undefined : { name, tools: wordsIn(tools) };
}

/** In parentheses a comma does not part anything. */
const wordsIn = (tools: unknown): string[] | undefined => {
  if (typeof tools !== "string" && !Array.isArray(tools)) return undefined;
  const words = typeof tools === "string" ? tools.split(/,(?![^(]*\))/) : tools.map(String);
  return words.map((word) => word.trim()).filter((word) => word !== "");
};

function compareWithClaude(
  all: Measured,
  text: string,
  readings: readonly Reading[],
  format: Format,
  path: string,
): void {
  const theirs = byItsOwnRules(text);
  if (theirs === undefined) return;
  all.claudeLoads += 1;
  const [reading] = readings;
  if (reading?.ok !== true || format.write === undefined) return void differing.push(`${path}: not loaded`);
  const back = byItsOwnRules(format.write(reading.definition).text);
  const [wanted, got] = [sorted(theirs.tools), sorted(back?.tools)];
  if (back?.name === theirs.name && wanted === got) all.claudeSame += 1;
  else differing.push(`${path}: ${theirs.name} [${wanted}] is ${back?.name ?? "nothing"} [${got}]`);
}

/** By what they are here, where they are known: `MultiEdit` is another word for `Edit`. */
const sorted = (tools: readonly string[] | undefined): string => {
  if (tools === undefined || tools.includes("*")) return "all";
  const known = tools.flatMap((tool): readonly string[] => toolsCalled("claude", tool) ?? [plain(tool)]);
  return [...new Set(known)].toSorted().join(", ");
};

/** A server's name alone means all of its tools, and `git:*` is `git *`. */
const plain = (tool: string): string => tool.replace(/:\*\)$/, " *)").replace(/^(mcp__(?:(?!__).)+)__\*$/, "$1");

const rows: string[] = [];
for (const argument of process.argv.slice(2)) {
  const [name = "", folder = ""] = argument.split(/:(.*)/s);
  const format = await loadFormat(formatNamed(name));
  const found = await measure(format, resolve(folder));
  const { files, loaded, repaired, narrowed, refused, empty, crashes } = found;
  rows.push(`| ${[format.id, files, loaded, repaired, narrowed, refused, empty, crashes].join(" | ")} |`);
  if (format.id === "claude") {
    process.stdout.write(`${folder}: Claude Code loads ${found.claudeLoads}, the same here ${found.claudeSame}\n`);
  }
}
process.stdout.write("\n| format | files | agents | repaired | narrowed | refused | none | crashes |\n");
process.stdout.write(`| --- | --- | --- | --- | --- | --- | --- | --- |\n${rows.join("\n")}\n\n`);
for (const [why, times] of [...reasons].toSorted((a, b) => b[1] - a[1])) process.stdout.write(`${times} x ${why}\n`);
for (const line of differing) process.stdout.write(`differs: ${line}\n`);
