import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { invalidHome } from "../errors/index.ts";

/** What is state and not for a repository. Agents, workflows, tools and the config are for one. */
const IGNORED = [
  "cadre.db*",
  "tasks/",
  "plans/",
  "logs/",
  "sessions/",
  "workspace/",
  "worktrees/",
  "memory/",
  "quarantine/",
  "serve-token",
  ".gitignore",
];

const ELSEWHERE = "See that you may write there, or name another home: --home <folder>";
const CONFINED = "Inside of an agent's program that is confined, Cadre's state is out of reach: this is on purpose";

/** Makes the home where there is none. Readable by its owner only: prompts and answers may hold anything. */
export async function makeHome(home: string): Promise<void> {
  try {
    await mkdir(home, { recursive: true, mode: 0o700 });
    await writeFile(join(home, ".gitignore"), `${IGNORED.join("\n")}\n`, { flag: "wx" }).catch(unlessThere);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw invalidHome(home, why, why.startsWith("EROFS") ? CONFINED : ELSEWHERE);
  }
}

function unlessThere(error: unknown): void {
  if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
}
