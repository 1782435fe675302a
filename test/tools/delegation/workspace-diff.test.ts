// What a reviewer is told of a workspace, by a git in a real sandbox, which does not see everything.
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Command, Confined } from "../../../src/ports/index.ts";
import type { Policy } from "../../../src/schema/index.ts";
import { workspaceDiff } from "../../../src/tools/delegation/workspace-diff.ts";
import { machines, openKeep, openWorld, temporaryFolder } from "../../confinement/kit.ts";
import { samplePolicy } from "../../domain/samples.ts";
import { PLAIN_GIT } from "../../plain-git.ts";

const git = (folder: string, ...args: readonly string[]) =>
  execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t.invalid", ...args], {
    cwd: folder,
    env: PLAIN_GIT,
    stdio: "ignore",
  });

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
  return { project, diff: () => workspaceDiff(attemptIn(project, home, confinement, policy)) };
}

const attemptIn = (
  project: string,
  home: string,
  confinement: Pick<Confined, "wrap">,
  policy: Partial<Policy> = {},
) => ({
  keep: openKeep(),
  confinement,
  own: { plan: join(home, "plans", "1_plan.md"), folder: join(home, "workspace"), scopes: [] },
  homes: [],
  workspace: { root: project },
  task: { spec: { policy: samplePolicy(policy), workspace: { mode: "shared" as const, allow_writes: true } } },
});

const UNHELD: Pick<Confined, "wrap"> = { wrap: (command) => command };

/** Where nothing holds programs: git sees everything. */
function openUnheld(policy: Partial<Policy> = {}) {
  const project = temporaryFolder();
  const home = join(project, ".cadre");
  mkdirSync(join(home, "workspace"), { recursive: true });
  layProject(project);
  return { project, home, attempt: attemptIn(project, home, UNHELD, policy) };
}

describe("what has changed where nothing holds programs", () => {
  test("holds nothing that scopes or rules close to the agent, and says that there is more", async () => {
    const tools = [{ from: "somebody", allow: null, ask: [], deny: ["Read(src/secret*)"] }];
    const { project, attempt } = openUnheld({ fs: { read: ["src"], write: [] }, tools });
    for (const name of ["src/new.ts", "src/secret.ts", "src/door.ts", "old.ts", "other.ts"])
      writeFileSync(join(project, name), `changed ${name}\n`);
    const text = await workspaceDiff(attempt);
    expect(text).toContain("+changed src/new.ts\n");
    expect(text).toContain("+changed src/door.ts\n");
    for (const name of ["secret", "old.ts", "other.ts"]) expect(text).not.toContain(name);
    expect(text).toContain("[Some changes are left out: the policy closes those files.]\n");
  });

  test.each(["Read", "Read(*)", "Read(./**)", "Read([x])", "Re*", "Read()"])(
    "holds nothing where a rule like %s closes every file, also one that asks",
    async (rule) => {
      const { project, attempt } = openUnheld();
      for (const name of ["src/new.ts", "src/door.ts"]) writeFileSync(join(project, name), "changed\n");
      for (const [ask, deny] of [
        [[], [rule]],
        [[rule], []],
      ] as const) {
        const policy = samplePolicy({ tools: [{ from: "somebody", allow: null, ask: [...ask], deny: [...deny] }] });
        const text = await workspaceDiff({ ...attempt, task: { spec: { ...attempt.task.spec, policy } } });
        expect(text).toBe("[Some changes are left out: the policy closes those files.]\n");
      }
    },
  );

  test("holds agents of the home, and no state", async () => {
    const { project, home, attempt } = openUnheld();
    rmSync(join(home, ".gitignore"));
    writeFileSync(join(home, "agents", "dev.md"), "worse\n");
    mkdirSync(join(home, "tasks"));
    for (const name of ["tasks/1.json", "mcp-auth.json", "workspace/more.md"])
      writeFileSync(join(home, name), "state\n");
    writeFileSync(join(project, "src", "new.ts"), "new\n");
    const text = await workspaceDiff(attempt);
    expect(text).toContain("-dev\n+worse\n");
    expect(text).toContain("+new\n");
    expect(text).not.toContain("state");
  });

  test("a git that does not end is not waited for", async () => {
    const { attempt } = openUnheld();
    const confinement = { wrap: (command: Command) => ({ ...command, file: "sleep", args: ["60"] }) };
    expect(await workspaceDiff({ ...attempt, confinement }, 200)).toMatch(/^\(git cannot say .*: it took too long\)$/);
  });

  test("a git that says too much is not heard to the end", async () => {
    const { attempt } = openUnheld();
    const endless = { file: "sh", args: ["-c", "yes long line of text; sleep 60"] };
    const isPatch = ({ args }: Command) => args.includes("diff") && !args.includes("--name-status");
    const confinement = { wrap: (command: Command) => (isPatch(command) ? { ...command, ...endless } : command) };
    expect(await workspaceDiff({ ...attempt, confinement }, 10_000)).toContain("[The rest of the diff is left out.");
  });
});

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
