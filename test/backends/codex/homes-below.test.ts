import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { homesBelow } from "../../../src/backends/codex/homes-below.ts";
import { temporaryFolder } from "../../custody/kit.ts";

function projectWith(...folders: readonly string[]): string {
  const project = temporaryFolder();
  for (const folder of folders) mkdirSync(join(project, folder), { recursive: true });
  return project;
}

it("finds homes at any depth, in any spelling of case, and none in what is installed", () => {
  const project = projectWith("a/b/.cadre", "a/.Cadre", "node_modules/x/.cadre", ".git/.cadre", "c/.cadre.d");
  expect(homesBelow(project).map((path) => path.slice(project.length + 1))).toEqual(["a/.Cadre", "a/b/.cadre"]);
});

it("takes for homes those where Cadre has worked, and looks for them in the others", () => {
  const project = projectWith("fixture/.cadre/x/.cadre", "real/.cadre");
  const isHome = (path: string): boolean => path !== "fixture/.cadre";
  expect(homesBelow(project, isHome)).toEqual([join(project, "real/.cadre"), join(project, "fixture/.cadre/x/.cadre")]);
});

it("looks into a thousand folders, those nearest to the top first", () => {
  const many = Array.from({ length: 1_000 }, (_, index) => `a/${index}/deep`);
  const project = projectWith("b/.cadre", "z/.cadre", "a/999/deep/.cadre", ...many);
  expect(homesBelow(project)).toEqual([join(project, "b/.cadre"), join(project, "z/.cadre")]);
});
