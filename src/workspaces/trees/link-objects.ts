// What the project's git holds already, for the repository of a private copy: as further names of the same files. Git
// never writes into an object again, and what the project's git sweeps away is still here by its other name.
import type { Dirent } from "node:fs";
import { link, mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";

const AT_ONCE = 16;
/** More of them cost more than writing those again that are needed. */
const MOST = 100_000;
const FOLDER = /^[0-9a-f]{2}$/;
const OBJECT = /^[0-9a-f]{38}([0-9a-f]{24})?$/;

/** Folders of objects of the same format. What cannot be linked (another disk, another's files) is left out. */
export async function linkObjects(from: string, to: string): Promise<void> {
  const isPossible = await linkPacks(join(from, "pack"), join(to, "pack"));
  const loose = isPossible ? await looseObjects(from) : [];
  if (loose.length > MOST) return;
  for (const folder of new Set(loose.map((file) => file.folder))) await mkdir(join(to, folder), { recursive: true });
  const queue = loose.values();
  let isGoingOn = true;
  const linkOn = async () => {
    for (const { folder, name } of queue) {
      if (!isGoingOn) return;
      if ((await linked(join(from, folder, name), join(to, folder, name))) === "refused") isGoingOn = false;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, linkOn));
}

/** Each with its index, by which git finds it: never that one alone. Says whether anything can be linked here. */
async function linkPacks(from: string, to: string): Promise<boolean> {
  const names = new Set((await filesIn(from)).map(({ name }) => name));
  await mkdir(to, { recursive: true });
  for (const name of names) {
    const pack = /^(pack-[0-9a-f]+)\.idx$/.exec(name)?.[1];
    // Of a clone that leaves objects out, git would ask others for them.
    if (pack === undefined || !names.has(`${pack}.pack`) || names.has(`${pack}.promisor`)) continue;
    const answer = await linked(join(from, `${pack}.pack`), join(to, `${pack}.pack`));
    if (answer === "refused") return false;
    if (answer === "linked") await linked(join(from, name), join(to, name));
  }
  return true;
}

/** `gone`: packed meanwhile. */
async function linked(from: string, to: string): Promise<"linked" | "gone" | "refused"> {
  try {
    await link(from, to);
    return "linked";
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ENOENT" ? "gone" : "refused";
  }
}

interface ObjectFile {
  readonly folder: string;
  readonly name: string;
}

async function looseObjects(objects: string): Promise<ObjectFile[]> {
  const found: ObjectFile[] = [];
  for (const { name: folder } of await entriesOf(objects)) {
    if (!FOLDER.test(folder)) continue;
    for (const { name } of await filesIn(join(objects, folder))) if (OBJECT.test(name)) found.push({ folder, name });
  }
  return found;
}

/** No links: they would be followed. */
const filesIn = async (folder: string): Promise<Dirent[]> =>
  (await entriesOf(folder)).filter((entry) => entry.isFile());

const entriesOf = (folder: string): Promise<Dirent[]> => readdir(folder, { withFileTypes: true }).catch(() => []);
