// What a reviewer is told of a workspace, by a git in a real sandbox, which does not see everything.
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Policy } from "../../../src/schema/index.ts";
import { workspaceDiff } from "../../../src/tools/delegation/workspace-diff.ts";
import { machines, openKeep, openWorld } from "../../confinement/kit.ts";

const git = (folder: string, ...args: readonly string[]) =>
  execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t.invalid", ...args], { cwd: folder, stdio: "ignore" });

/** Its repository holds a part of Cadre's home. */
function layProject(project: string): void {
  for (const folder of [".cadre/agents", "src"]) mkdirSync(join(project, folder));
  writeFileSync(join(project, ".cadre", "agents", "dev.md"), "dev\n");
  writeFileSync(join(project, ".cadre", ".gitignore"), "workspace/\n.gitignore\n");
  writeFileSync(join(project, ".cadre", "workspace", "notes.md"), "notes\n");
  writeFileSync(join(project, "src", "door.ts"), "door\n");
  writeFileSync(join(project, "old.ts"), "old\n");
  git(project, "init", "--quiet");
  git(project, "add", "--all");
  git(project, "commit", "--quiet", "--message=a door");
}

async function open(policy: Partial<Policy> = {}, lay = layProject) {
  const { project, home, confined: confinement } = await openWorld({ policy, lay });
  const own = { plan: join(home, "plans", "1_plan.md"), folder: join(home, "workspace"), scopes: [] };
  const diff = () => workspaceDiff({ keep: openKeep(), confinement, own, workspace: { root: project } });
  return { project, diff };
}

describe.each(machines)("what has changed in a sandbox, as $user", () => {
  test("is nothing where only the sandbox hides something", async () => {
    const { diff } = await open();
    expect(await diff()).toBe("(nothing has changed)");
  });

  test("is what was really changed, made and deleted", async () => {
    const { project, diff } = await open();
    writeFileSync(join(project, "src", "door.ts"), "red door\n");
    writeFileSync(join(project, "src", "new.ts"), "new\n");
    rmSync(join(project, "old.ts"));
    const text = await diff();
    expect(text).toContain("-door\n+red door\n");
    expect(text).toContain("+++ b/src/new.ts\n@@ -0,0 +1 @@\n+new\n");
    expect(text).toContain("deleted file mode 100644");
    expect(text).toContain("--- a/old.ts");
    expect(text).not.toContain(".cadre");
  });

  test("holds nothing of what the agent may not read, which is there", async () => {
    const { project, diff } = await open({ fs: { read: ["src", ".git"], write: [] } });
    writeFileSync(join(project, "src", "new.ts"), "new\n");
    const text = await diff();
    expect(text).toContain("+++ b/src/new.ts");
    expect(text).not.toContain("old.ts");
  });

  test("in a plan, of which nothing is written, it is the same", async () => {
    const { project, diff } = await open({ modes: ["plan"] });
    writeFileSync(join(project, "src", "new.ts"), "new\n");
    expect(await diff()).toContain("+++ b/src/new.ts");
  });

  test("where git cannot say, its words are told", async () => {
    const { diff } = await open({}, () => undefined);
    expect(await diff()).toMatch(/^\(git cannot say what has changed in .*: fatal: not a git repository[^]*\)$/);
  });
});
