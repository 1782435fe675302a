import { lstat, mkdir, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import * as z from "zod";
import { makeHome } from "../../app/home-folder.ts";
import { invalidHome } from "../../errors/index.ts";
import { type CommandContext, defineCommand } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { CONFIG_TEMPLATE, EXAMPLE_AGENT } from "../render/config-template.ts";
import { safeLine } from "../render/safe-text.ts";

const FOLDERS = ["agents", "tasks", "plans", "logs", "workspace", "sessions"];
const EXAMPLE = "hello";

export const command = defineCommand({
  usage: "init",
  summary: "Make Cadre's home in this folder, with an example agent",
  insteadInSandbox: "Nothing has to be made: agents run from the home of this task. See: cadre agents",
  operations: [],
  args: z.object({}),
  async run(context) {
    const { out } = context;
    const home = homeFor(context);
    await checkPlace(home);
    const made = await make(home);
    out.data({ home, made }, () =>
      made.length === 0
        ? `${safeLine(home)} is there already. Nothing was changed.`
        : `Made in ${safeLine(home)}: ${made.join(", ")}`,
    );
    if (made.includes(`agents/${EXAMPLE}.md`)) nextSteps(context, home);
    return EXIT.ok;
  },
});

/** In this folder, unless another place was told. */
function homeFor({ home, streams }: CommandContext): string {
  const told = home ?? streams.env["CADRE_HOME"];
  return resolve(told === undefined || told === "" ? ".cadre" : told);
}

async function checkPlace(home: string): Promise<void> {
  const info = await lstat(home).catch(() => null);
  if (info === null || info.isDirectory()) return;
  const what = info.isSymbolicLink() ? "it is a link to another place" : "it is not a folder";
  throw invalidHome(home, what, "Move it away, or make a home elsewhere: cadre --home <folder> init");
}

/** What was not there yet, by its name in the home. What is there is left as it is. */
async function make(home: string): Promise<string[]> {
  const made: string[] = [];
  const note = (name: string, isNew: boolean): void => void (isNew && made.push(name));
  note(".gitignore", !(await isThere(join(home, ".gitignore"))));
  await makeHome(home);
  for (const name of FOLDERS) note(`${name}/`, await makeFolder(join(home, name)));
  note("config.yml", await makeFile(join(home, "config.yml"), CONFIG_TEMPLATE));
  // Only with its folder: whoever has deleted it does not want it back.
  if (made.includes("agents/"))
    note(`agents/${EXAMPLE}.md`, await makeFile(join(home, "agents", `${EXAMPLE}.md`), EXAMPLE_AGENT));
  return made;
}

const isThere = async (path: string): Promise<boolean> => (await lstat(path).catch(() => null)) !== null;

const makeFolder = (path: string): Promise<boolean> => unlessThere(() => mkdir(path, { mode: 0o700 }));
const makeFile = (path: string, text: string): Promise<boolean> =>
  unlessThere(() => writeFile(path, text, { flag: "wx", mode: 0o600 }));

async function unlessThere(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

function nextSteps({ out }: CommandContext, home: string): void {
  const agent = relative("", join(home, "agents", `${EXAMPLE}.md`));
  const isOwn = dirname(home) === homedir();
  const lines = [
    "",
    isOwn
      ? "This is your own home: its agents are there in every project, and need no trust."
      : "Agents of a project do nothing until its folder is trusted: a repository cannot bring agents that run.",
    "Next:",
    `  Read the example:   ${safeLine(agent)}`,
    ...(isOwn ? [] : ["  Trust this folder:  cadre trust"]),
    `  Run it:             cadre run ${EXAMPLE} "Greet me"`,
  ];
  for (const line of lines) out.talk(line);
}
