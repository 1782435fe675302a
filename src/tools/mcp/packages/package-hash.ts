import { createHash } from "node:crypto";
import { readdir, readFile, readlink } from "node:fs/promises";
import { join, relative } from "node:path";
import { ServerFault } from "../message-lines.ts";
import type { InstalledPackage } from "./installed-package.ts";

const MOST_FILES = 60_000;
const MOST_BYTES = 600 * 1024 * 1024;
/** Made by running it, and checked by Python against what it was made of. */
const NOT_ITS_OWN: ReadonlySet<string> = new Set(["__pycache__"]);

/** Of every file of a package and of all that it needs: names, contents and where links lead. */
export async function packageHash(parts: InstalledPackage["parts"]): Promise<string> {
  const left = { files: MOST_FILES, bytes: MOST_BYTES };
  const folders = new Set(parts.map(({ folder }) => folder));
  const hashes: string[] = [];
  for (const { name, folder } of parts) hashes.push(`${name} ${await folderHash(folder, folders, left)}`);
  return createHash("sha256").update(hashes.toSorted().join("\n")).digest("hex");
}

async function folderHash(root: string, others: ReadonlySet<string>, left: { files: number; bytes: number }) {
  const hash = createHash("sha256");
  const queue = [root];
  for (let folder = queue.shift(); folder !== undefined; folder = queue.shift()) {
    const entries = await readdir(folder, { withFileTypes: true });
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(folder, entry.name);
      if (NOT_ITS_OWN.has(entry.name) || others.has(path)) continue; // what it needs is counted by itself
      if (--left.files < 0) throw tooLarge();
      if (entry.isDirectory()) queue.push(path);
      // A pipe would be read for ever.
      else if (!entry.isFile() && !entry.isSymbolicLink()) throw new ServerFault(`${path} is no file of a package`);
      else hash.update(`${relative(root, path)}\0${await contentOf(path, entry.isSymbolicLink(), left)}\0`);
    }
  }
  return hash.digest("hex");
}

async function contentOf(path: string, isLink: boolean, left: { bytes: number }): Promise<string> {
  if (isLink) return `link ${await readlink(path)}`;
  const bytes = await readFile(path);
  left.bytes -= bytes.length;
  if (left.bytes < 0) throw tooLarge();
  return createHash("sha256").update(bytes).digest("hex");
}

const tooLarge = () =>
  new ServerFault(`the package is too large to be looked through: at most ${MOST_FILES} files and ${MOST_BYTES} bytes`);
