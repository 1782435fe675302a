// What a tape does is real: in a folder of its own, through the shared workspace.
import { link, mkdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { TapeStep } from "../../src/schema/index.ts";
import { registryOf, startEngine } from "../../src/testing/index.ts";
import { sharedWorkspaces } from "../../src/workspaces/shared/shared-workspaces.ts";
import { factsOf, type Definition } from "../engine/kit.ts";
import { temporaryFolder } from "../platform/temporary-folder.ts";

async function play(root: string, tape: readonly TapeStep[], agent: Partial<Definition> = {}) {
  await using engine = await startEngine({
    workspaces: sharedWorkspaces(root),
    registry: registryOf({
      name: "player",
      description: "Plays.",
      permission_mode: "acceptEdits",
      workspace: { allow_writes: true },
      tape: [...tape, { answer: "done" }],
      ...agent,
    }),
  });
  const task = await engine.run({ agent: "player" });
  return { task, log: await engine.log(task.id) };
}

describe("a tape in a folder", () => {
  test("writes and reads files that are there afterwards", async () => {
    await using folder = await temporaryFolder();
    const { task } = await play(folder.path, [
      { write: "notes/today.md", content: "héllo\n" },
      { read: "notes/today.md", expect: "héllo" },
      { write: "notes/today.md", content: "again" },
    ]);
    expect(task.outcome).toMatchObject({ status: "completed" });
    expect(await readFile(join(folder.path, "notes/today.md"), "utf8")).toBe("again");
  });

  test("what its policy refuses is not done", async () => {
    await using folder = await temporaryFolder();
    await writeFile(join(folder.path, "keep.txt"), "as it was");
    const write: TapeStep = { write: "keep.txt", content: "changed" };
    const { task } = await play(folder.path, [write], { policy: { fs: { write: ["docs"] } } });
    expect(task).toMatchObject({ status: "completed", calls: { made: 0, refused: 1 } });
    expect(await readFile(join(folder.path, "keep.txt"), "utf8")).toBe("as it was");
  });

  test("a path that leads out of the folder is refused by the policy before it is tried", async () => {
    await using folder = await temporaryFolder();
    const steps: TapeStep[] = ["../out.txt", "/etc/hostname", "a/../../out.txt"].flatMap((path) => [
      { read: path },
      { write: path, content: "x" },
    ]);
    const { task, log } = await play(join(folder.path), steps);
    expect(task).toMatchObject({ status: "completed", calls: { made: 0, refused: 6 } });
    expect(factsOf(log, "tool.refused").every(({ decision }) => decision.rule.startsWith("fs."))).toBe(true);
    await expect(stat(join(folder.path, "../out.txt"))).rejects.toThrow("ENOENT");
  });

  test("a link that leads out of the folder is not followed, and the agent is told", async () => {
    await using outside = await temporaryFolder();
    await using folder = await temporaryFolder();
    await writeFile(join(outside.path, "secret.txt"), "secret");
    await symlink(outside.path, join(folder.path, "folder-link"));
    await symlink(join(outside.path, "secret.txt"), join(folder.path, "file-link"));
    await link(join(outside.path, "secret.txt"), join(folder.path, "hard-link"));
    const { task, log } = await play(folder.path, [
      { read: "folder-link/secret.txt" },
      { read: "file-link" },
      { write: "folder-link/new.txt", content: "x" },
      { write: "file-link", content: "x" },
      { write: "hard-link", content: "x" },
    ]);
    expect(task.status).toBe("completed");
    const returned = factsOf(log, "tool.returned");
    expect(returned.map(({ ok }) => ok)).toEqual([false, false, false, false, false]);
    expect(returned.map(({ output }) => output).join()).not.toContain("secret text");
    expect(await readFile(join(outside.path, "secret.txt"), "utf8")).toBe("secret");
    await expect(stat(join(outside.path, "new.txt"))).rejects.toThrow("ENOENT");
  });

  test("works in the folder that its agent names", async () => {
    await using folder = await temporaryFolder();
    await mkdir(join(folder.path, "docs"));
    await writeFile(join(folder.path, "docs/a.md"), "in docs");
    const { task } = await play(folder.path, [{ read: "a.md", expect: "in docs" }], { workspace: { path: "docs" } });
    expect(task.attempts[0]?.workspace).toBe(join(folder.path, "docs"));
    expect(task.status).toBe("completed");
  });

  test.each([
    ["src", "x.txt", 1],
    ["docs", "docs/x.txt", 0],
  ])("a policy for %s decides on %s of a workspace in src by where the file really is", async (scope, path, made) => {
    await using folder = await temporaryFolder();
    await mkdir(join(folder.path, "src"));
    await using engine = await startEngine({
      workspaces: sharedWorkspaces(folder.path),
      registry: registryOf({
        name: "player",
        description: "Plays.",
        permission_mode: "auto",
        workspace: { path: "src", allow_writes: true },
        policy: { fs: { write: [scope] } },
        tape: [{ write: path, content: "x" }, { answer: "done" }],
      }),
    });
    expect((await engine.run({ agent: "player" })).calls.made).toBe(made);
  });
});
