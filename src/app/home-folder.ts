import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { STATE_FILES, STATE_FOLDERS } from "../domain/own-state.ts";
import { invalidHome } from "../errors/index.ts";

/** What is state and not for a repository. Agents, workflows, tools and the config are for one. */
const IGNORED = [
  "cadre.db*",
  ...STATE_FOLDERS.map((name) => `${name}/`),
  "workspace/",
  "serve-token",
  ...["trust.json", "connections.json", "mcp-auth.json", "mcp-tools.json"].flatMap((name) => [
    `${name}*`,
    `.${name}.*`,
  ]),
  ".gitignore",
];

const ELSEWHERE = "See that you may write there, or name another home: --home <folder>";
const CONFINED = "Inside of an agent's program that is confined, Cadre's state is out of reach: this is on purpose";

/** Makes the home where there is none. Readable by its owner only: prompts and answers may hold anything. */
export async function makeHome(home: string): Promise<void> {
  try {
    await makeFolders(resolve(home));
    await writeFile(join(home, ".gitignore"), `${IGNORED.join("\n")}\n`, { flag: "wx" }).catch(unlessThere);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw invalidHome(home, why, why.startsWith("EROFS") ? CONFINED : ELSEWHERE);
  }
}

/** The user's own, or one that Cadre has worked in: then a store, a token or the like lies there. */
export const isHomeIn =
  ({ project, userHome }: { readonly project: string; readonly userHome: string }): ((path: string) => boolean) =>
  (path) => {
    const folder = resolve(project, path);
    return folder === join(userHome, ".cadre") || STATE_FILES.some((name) => existsSync(join(folder, name)));
  };

/** One by one: asked for all at once, Node tries for ever where the system takes none, as in `/proc`. */
async function makeFolders(path: string): Promise<void> {
  if (existsSync(path)) return void (await mkdir(path, { recursive: true })); // which says so where it is none
  await makeFolders(dirname(path));
  await mkdir(path, { mode: 0o700 }).catch(unlessThere);
}

function unlessThere(error: unknown): void {
  if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
}
