// request_review: the reviewer gets what has changed, from a real repository.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openCustody } from "../../../src/custody/index.ts";
import { scriptedModel } from "../../../src/testing/index.ts";
import { sharedWorkspaces } from "../../../src/workspaces/shared/shared-workspaces.ts";
import { temporaryFolder } from "../../custody/kit.ts";
import { type AgentWish, startLoop, toolTexts } from "../../loop/kit.ts";
import { PLAIN_GIT } from "../../plain-git.ts";

const custody = await openCustody();
const agents: AgentWish[] = [
  { name: "lead", description: "builds", tools: ["request_review"] },
  { name: "reviewer", description: "reviews" },
];

const git = (folder: string, ...args: readonly string[]) =>
  execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t.invalid", ...args], {
    cwd: folder,
    env: PLAIN_GIT,
    stdio: "ignore",
  });

async function review(project: string) {
  const models = {
    lead: scriptedModel([
      { calls: [{ tool: "request_review", input: { summary: "I painted the door." } }] },
      { text: "ok" },
    ]),
    reviewer: scriptedModel([{ text: "approve" }]),
  };
  const workspaces = sharedWorkspaces(project);
  await using engine = await startLoop({ models, agents, delegation: true, custody, workspaces });
  const task = await engine.run({ agent: "lead" });
  const [child] = await engine.children(task);
  return { prompt: child?.spec.prompt ?? "", result: toolTexts(models.lead.requests[1]) };
}

test("the reviewer is given the summary and the diff; the agent gets the review", async () => {
  const project = temporaryFolder();
  git(project, "init", "-q");
  writeFileSync(join(project, "door.ts"), "export const colour = 'green';\n");
  git(project, "add", ".");
  git(project, "commit", "-qm", "a door");
  writeFileSync(join(project, "door.ts"), "export const colour = 'red';\n");
  const { prompt, result } = await review(project);
  expect(prompt).toMatch(/^I painted the door\.\n\nThe changes, as a diff:/);
  expect(prompt).toContain("-export const colour = 'green';\n+export const colour = 'red';");
  expect(result).toEqual(["approve"]);
});

test("files that are new are in it, also where there is no commit yet", async () => {
  const project = temporaryFolder();
  git(project, "init", "-q");
  writeFileSync(join(project, "door.ts"), "export const colour = 'red';\n");
  expect((await review(project)).prompt).toContain("new file mode 100644");
  git(project, "add", ".");
  git(project, "commit", "-qm", "a door");
  writeFileSync(join(project, "window.ts"), "export const panes = 4;\n");
  const { prompt } = await review(project);
  expect(prompt).toContain("+++ b/window.ts\n@@ -0,0 +1 @@\n+export const panes = 4;");
  expect(prompt).not.toContain("door.ts");
});

test("where nothing has changed, or there is no repository, that is said", async () => {
  const project = temporaryFolder();
  expect((await review(project)).prompt).toMatch(
    /\(git cannot say what has changed in .*: fatal: not a git repository[^]*\)$/,
  );
  git(project, "init", "-q");
  expect((await review(project)).prompt).toMatch(/\(nothing has changed\)$/);
});
