// Where manifests lie: `tools/<name>/tool.yml` of the project's home, then of the user's own.
import { constants, lstatSync } from "node:fs";
import { open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { sha256 } from "../../platform/system-mint.ts";
import type { Pin, Trust } from "../../ports/index.ts";
import type { Manifest } from "./manifest.ts";
import { pinOf, unseenOf } from "./tool-pins.ts";

export interface ToolLayer {
  /** Holds one folder per tool. */
  readonly folder: string;
  /** Must be trusted before anything of it runs; null: it is the user's own. */
  readonly trustRoot: string | null;
}

export interface FoundTool {
  readonly manifest: Manifest;
  /** The folder of the tool, and the file in it. */
  readonly folder: string;
  readonly source: string;
  readonly sha256: string;
  /** Its folder is trusted. */
  readonly trusted: boolean;
  /** Of a project's: what letting it pass as it is would pin. */
  readonly pin?: Pin | undefined;
  /** What a person has yet to see, in words. Agents do not get it before that. */
  readonly unseen?: readonly string[] | undefined;
}

export interface FoundTools {
  /** A tool of an earlier layer takes the place of one of the same name. */
  readonly tools: readonly FoundTool[];
  readonly problems: readonly { readonly source: string; readonly message: string }[];
}

const FILE = "tool.yml";
const MAX_BYTES = 64 * 1024;
const MAX_TOOLS = 200;

export type ToolTrust = Pick<Trust, "isTrusted" | "pinsOf">;

export async function findTools(layers: readonly ToolLayer[], trust: ToolTrust): Promise<FoundTools> {
  const tools = new Map<string, FoundTool>();
  const problems: { source: string; message: string }[] = [];
  for (const layer of layers) {
    const names = await foldersIn(layer.folder);
    if (names.length === 0) continue;
    const { trustRoot } = layer;
    const isFolderTrusted = trustRoot === null || (await trust.isTrusted(trustRoot));
    const pins = trustRoot === null || !isFolderTrusted ? null : await trust.pinsOf(trustRoot);
    for (const name of names) {
      const found = await readTool(join(layer.folder, name), name);
      if (found === undefined) continue;
      for (const message of found.problems) problems.push({ source: found.source, message });
      const key = name.toLowerCase();
      if (found.tool === undefined || tools.has(key)) continue;
      const pin = trustRoot === null ? undefined : pinOf(found.tool);
      const unseen = isFolderTrusted ? unseenOf(found.tool, pins) : [];
      tools.set(key, {
        ...found.tool,
        trusted: isFolderTrusted,
        ...(pin === undefined ? {} : { pin }),
        ...(unseen.length === 0 ? {} : { unseen }),
      });
    }
  }
  return { tools: [...tools.values()], problems };
}

/** No link is followed, neither to the folder nor to one in it. */
async function foldersIn(folder: string): Promise<string[]> {
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  const entries = await readdir(folder, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
    .map(({ name }) => name)
    .toSorted()
    .slice(0, MAX_TOOLS);
}

interface ReadTool {
  readonly source: string;
  readonly tool?: Omit<FoundTool, "trusted">;
  readonly problems: readonly string[];
}

async function readTool(folder: string, name: string): Promise<ReadTool | undefined> {
  const source = join(folder, FILE);
  const text = await readText(source);
  if (text === null) return undefined;
  if (typeof text !== "string") return { source, problems: [text.problem] };
  const { readManifest } = await import("./read-manifest.ts"); // YAML is loaded for a reason
  const read = readManifest(text, source, name);
  if (!read.ok) return { source, problems: read.problems };
  return { source, problems: [], tool: { manifest: read.manifest, folder, source, sha256: sha256(text) } };
}

/** Null: there is none. */
async function readText(path: string): Promise<string | { problem: string } | null> {
  try {
    // O_NONBLOCK: a named pipe would otherwise hold us until somebody writes to it.
    await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const info = await file.stat();
    if (!info.isFile()) return { problem: `${path} is no regular file` };
    if (info.size > MAX_BYTES) return { problem: `${path} has ${info.size} bytes; at most ${MAX_BYTES} are read` };
    return new TextDecoder("utf-8", { fatal: true }).decode(await file.readFile());
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    return { problem: `${path} cannot be read: ${error instanceof Error ? error.message : String(error)}` };
  }
}
