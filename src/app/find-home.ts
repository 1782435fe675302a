// Which home a process works with. A home holds Cadre's state; the folder around it is the project.
import { existsSync, lstatSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { STATE_FOLDERS } from "../domain/own-state.ts";
import { invalidHome } from "../errors/index.ts";

export interface Home {
  readonly home: string;
  readonly project: string;
}

export interface HomeWishes {
  /** `--home`, or the library's option: outranks everything. */
  readonly home?: string | undefined;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly userHome: string;
}

const NAME = ".cadre";

/** What Cadre writes there. A repository that brings a link of such a name would have it written elsewhere. */
const STATE = [
  "cadre.db",
  "cadre.db-wal",
  "cadre.db-shm",
  "cadre.db-journal",
  "cadre.db-bells",
  ...STATE_FOLDERS,
  "workspace",
  "export",
];

/** As told, else the nearest folder upwards that has a `.cadre`, else the user's own. */
export function findHome({ home, cwd, env, userHome }: HomeWishes): Home {
  const told = home ?? env["CADRE_HOME"];
  const userOwn = join(userHome, NAME);
  if (told !== undefined && told !== "") {
    const path = resolve(cwd, told);
    checkHome(path);
    return { home: path, project: path === userOwn ? cwd : projectAround(path) };
  }
  for (let folder = cwd; ; folder = dirname(folder)) {
    const candidate = join(folder, NAME);
    if (candidate !== userOwn && existsSync(candidate)) {
      checkHome(candidate);
      return { home: candidate, project: folder };
    }
    if (dirname(folder) === folder) return { home: userOwn, project: cwd };
  }
}

/** `.cadre` lies in its project, and so does `.gemini/agents`: whatever is hidden is not the project itself. */
function projectAround(home: string): string {
  let folder = dirname(home);
  while (basename(folder).startsWith(".")) folder = dirname(folder);
  return folder;
}

function checkHome(path: string): void {
  if (!existsSync(path)) return; // it is made when something is first written
  if (!statSync(path).isDirectory())
    throw invalidHome(path, "it is not a folder", "Name a folder, or move that file away.");
  if (dirname(realpathSync(path)) !== realpathSync(dirname(path))) {
    throw invalidHome(path, "it is a link to another place", "Name that place itself: --home <folder>");
  }
  const link = STATE.find((name) => lstatSync(join(path, name), { throwIfNoEntry: false })?.isSymbolicLink());
  if (link !== undefined)
    throw invalidHome(
      path,
      `${link} in it is a link to another place`,
      "Remove the link: nothing is written where it leads.",
    );
}
