// What is told of a repository that holds somebody's whole home.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openCadre } from "../../src/app/index.ts";
import { freshFolder } from "../fresh-folder.ts";

const LOGINS = ["mcp-auth.json", "trust.json", "connections.json", "mcp-tools.json"];

test("holds new agents, and nothing that Cadre keeps, also in a home whose list of what git ignores is older", async () => {
  const userHome = freshFolder("diff");
  const home = join(userHome, ".cadre");
  mkdirSync(join(home, "agents"), { recursive: true });
  writeFileSync(join(home, ".gitignore"), "cadre.db*\n");
  for (const name of LOGINS) writeFileSync(join(home, name), "{}\n");
  writeFileSync(join(home, "agents", "dev.md"), "---\nname: dev\ndescription: d\n---\nYou help.\n");
  execFileSync("git", ["init", "--quiet"], { cwd: userHome });
  await using cadre = await openCadre({ home, userHome, cwd: userHome, env: {} });
  const text = await cadre.diff();
  expect(text).toContain("+++ b/.cadre/agents/dev.md");
  for (const name of LOGINS) expect(text).not.toContain(name);
});

test("holds files of a fixture that is called .cadre, and none of a home deeper in the project", async () => {
  const project = freshFolder("diff");
  const home = join(project, ".cadre");
  for (const folder of [home, join(project, "fixtures", ".cadre"), join(project, "deeper", ".cadre")]) {
    mkdirSync(join(folder, "tasks"), { recursive: true });
    writeFileSync(join(folder, "tasks", "a.json"), "{}\n");
  }
  writeFileSync(join(project, "deeper", ".cadre", "cadre.db"), "");
  execFileSync("git", ["init", "--quiet"], { cwd: project });
  await using cadre = await openCadre({ home, userHome: freshFolder("diff"), cwd: project, env: {} });
  const text = await cadre.diff();
  expect(text.match(/^\+\+\+ .*a\.json$/gm)).toEqual(["+++ b/fixtures/.cadre/tasks/a.json"]);
});

test("a new home has git ignore what Cadre keeps there", async () => {
  const userHome = freshFolder("diff");
  const home = join(userHome, ".cadre");
  await using _cadre = await openCadre({ home, userHome, cwd: userHome, env: {} });
  execFileSync("git", ["init", "--quiet"], { cwd: userHome });
  const paths = LOGINS.map((name) => `.cadre/${name}`);
  const ignored = execFileSync("git", ["check-ignore", ...paths], { cwd: userHome, encoding: "utf8" });
  expect(ignored.trim().split("\n")).toEqual(paths);
  expect(readFileSync(join(home, ".gitignore"), "utf8")).not.toContain("agents");
});
