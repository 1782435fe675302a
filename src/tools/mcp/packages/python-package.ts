// Where `uv tool install` and `pipx install` keep packages: each in an environment of its own.
import { readdir, readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { LaunchedPackage } from "../../../domain/package-launchers.ts";
import { ServerFault } from "../message-lines.ts";
import type { InstalledPackage, Whereabouts } from "./installed-package.ts";

const PLACES = [".local/share/uv/tools", ".local/share/pipx/venvs", ".local/pipx/venvs"];

export async function pythonPackage(wanted: LaunchedPackage, { home }: Whereabouts): Promise<InstalledPackage | null> {
  if (home === undefined) return null;
  const name = plain(wanted.name);
  for (const folder of PLACES.map((place) => join(home, place, name))) {
    if (!(await hasVersion(folder, name, wanted.version))) continue;
    const file = join(folder, "bin", wanted.program ?? wanted.name);
    if ((await stat(file).catch(() => null))?.isFile() !== true)
      throw new ServerFault(`${wanted.name} has no program ${wanted.program ?? wanted.name}`);
    return {
      folder,
      file,
      args: wanted.args,
      reads: [folder, ...(await interpreterOf(folder))],
      parts: [{ name: `${name}==${wanted.version}`, folder }],
      integrity: null,
    };
  }
  return null;
}

/** `Some_Server` and `some-server` are the same one. */
const plain = (name: string): string => name.toLowerCase().replaceAll(/[-_.]+/g, "-");

async function hasVersion(folder: string, name: string, version: string): Promise<boolean> {
  const versions = await readdir(join(folder, "lib")).catch(() => []);
  const found = await Promise.all(
    versions.map((python) => readdir(join(folder, "lib", python, "site-packages")).catch(() => [])),
  );
  return found.flat().some((entry) => {
    const [, its = "", number] = /^(.+?)-([^-]+)\.dist-info$/.exec(entry) ?? [];
    return plain(its) === name && number === version;
  });
}

/** An interpreter of uv's own lies in the user's home. */
async function interpreterOf(folder: string): Promise<string[]> {
  const text = await readFile(join(folder, "pyvenv.cfg"), "utf8").catch(() => "");
  const [, bin] = /^home\s*=\s*(\/.+)$/m.exec(text) ?? [];
  return bin === undefined ? [] : [dirname(bin.trim())];
}
