// Where npm and its kin keep packages: in the project, for everybody, and what npx has fetched before.
import { readdir, readFile, realpath } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import * as z from "zod";
import type { LaunchedPackage } from "../../../domain/package-launchers.ts";
import { isWithin } from "../../../domain/scopes.ts";
import { findProgram } from "../../../platform/find-program.ts";
import { ServerFault } from "../message-lines.ts";
import type { InstalledPackage, Whereabouts } from "./installed-package.ts";

const Names = z.record(z.string(), z.unknown()).catch({});
const Manifest = z.looseObject({
  name: z.string(),
  version: z.string(),
  bin: z.union([z.string(), z.record(z.string(), z.string())]).optional(),
  dependencies: Names.optional(),
  optionalDependencies: Names.optional(),
  peerDependencies: Names.optional(),
});
type Manifest = z.infer<typeof Manifest>;

const Lock = z.looseObject({ packages: z.record(z.string(), z.looseObject({ integrity: z.string().optional() })) });

/** A server needs some hundreds at the most. */
const MOST_PARTS = 3_000;

export async function npmPackage(wanted: LaunchedPackage, where: Whereabouts): Promise<InstalledPackage | null> {
  for (const modules of await moduleFolders(where)) {
    const folder = await realpath(join(modules, wanted.name)).catch(() => null);
    const manifest = folder === null ? null : await manifestIn(folder);
    if (folder === null || manifest?.name !== wanted.name || manifest.version !== wanted.version) continue;
    const program = resolve(folder, programOf(manifest, wanted));
    if (!isWithin(await realpath(program).catch(() => "/"), folder))
      throw new ServerFault(`the program of ${wanted.name} does not lie in its folder, ${folder}`);
    const outermost = folder.slice(0, folder.indexOf("/node_modules/") + "/node_modules".length);
    return {
      folder,
      ...(await startOf(program, wanted.args)),
      reads: [folder.includes("/node_modules/") ? outermost : folder],
      parts: await partsOf(folder, manifest),
      integrity: await integrityOf(modules, wanted.name),
    };
  }
  return null;
}

/** In the order in which npx looks. */
async function moduleFolders({ cwd, home, path }: Whereabouts): Promise<string[]> {
  const above = parentsOf(cwd).map((folder) => join(folder, "node_modules"));
  const npx = findProgram("npx", { cwd, path });
  // …/lib/node_modules/npm/bin/npx-cli.js
  const cli = npx.ok ? await realpath(npx.file).catch(() => "") : "";
  const common = cli.includes("/node_modules/npm/") ? [cli.slice(0, cli.lastIndexOf("/npm/bin/"))] : [];
  const cache = home === undefined ? [] : [join(home, ".npm", "_npx")];
  const fetched = await Promise.all(
    cache.map(async (folder) =>
      (await readdir(folder).catch(() => []))
        .toSorted((a, b) => (a < b ? -1 : 1))
        .map((name) => join(folder, name, "node_modules")),
    ),
  );
  return [...above, ...common, ...fetched.flat()];
}

function parentsOf(folder: string): string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...parentsOf(above)];
}

async function manifestIn(folder: string): Promise<Manifest | null> {
  const text = await readFile(join(folder, "package.json"), "utf8").catch(() => null);
  return text === null ? null : (Manifest.safeParse(jsonOf(text)).data ?? null);
}

function programOf({ bin = {}, name }: Manifest, { program }: LaunchedPackage): string {
  const usual = name.split("/").at(-1) ?? name;
  const all = typeof bin === "string" ? { [usual]: bin } : bin;
  const [only, ...others] = Object.keys(all);
  const chosen = program ?? (others.length === 0 && only !== undefined ? only : usual);
  const found = Object.hasOwn(all, chosen) ? all[chosen] : undefined;
  if (found !== undefined) return found;
  throw new ServerFault(`${name} has no program ${chosen}; it has ${Object.keys(all).join(", ") || "none"}`);
}

/** Most are scripts for Node that may not be executable by themselves. */
async function startOf(program: string, args: readonly string[]): Promise<Pick<InstalledPackage, "file" | "args">> {
  const head = (await readFile(program, "latin1")).slice(0, 200).split("\n", 1)[0] ?? "";
  const isForNode =
    /^#!\s*\/usr\/bin\/env(?:\s+-S)?\s+node\b/.test(head) || (/\.[cm]?js$/.test(program) && !head.startsWith("#!"));
  return isForNode ? { file: "node", args: [program, ...args] } : { file: program, args };
}

/** The package and all that it would load, found as Node finds them. */
async function partsOf(folder: string, manifest: Manifest): Promise<{ name: string; folder: string }[]> {
  const found = new Map([[folder, manifest]]);
  for (const [at, { dependencies, optionalDependencies, peerDependencies }] of found) {
    const names = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies });
    for (const name of names) {
      const next = await neighbour(at, name);
      const its = next === null || found.has(next) ? null : await manifestIn(next);
      if (next !== null && its !== null) found.set(next, its);
      if (found.size > MOST_PARTS) throw new ServerFault(`${manifest.name} needs more than ${MOST_PARTS} packages`);
    }
  }
  return [...found].map(([at, { name, version }]) => ({ name: `${name}@${version}`, folder: at }));
}

async function neighbour(from: string, name: string): Promise<string | null> {
  for (const folder of parentsOf(from)) {
    const found = await realpath(join(folder, "node_modules", name)).catch(() => null);
    if (found !== null) return found;
  }
  return null;
}

async function integrityOf(modules: string, name: string): Promise<string | null> {
  const text = await readFile(join(modules, ".package-lock.json"), "utf8").catch(() => "");
  return Lock.safeParse(jsonOf(text)).data?.packages[`node_modules/${name}`]?.integrity ?? null;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
