import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { TaskView, WorkspaceBinding } from "../../src/schema/index.ts";
import { sharedWorkspaces } from "../../src/workspaces/shared/shared-workspaces.ts";
import { temporaryFolder } from "../platform/temporary-folder.ts";

/** Only what a workspace looks at. */
const taskWith = (workspace: Partial<WorkspaceBinding>): TaskView =>
  ({ spec: { workspace: { mode: "shared", allow_writes: true, ...workspace } } }) as TaskView;

describe("the shared workspace", () => {
  test("is the project itself, or a folder of it", async () => {
    await using folder = await temporaryFolder();
    await mkdir(join(folder.path, "docs"));
    const workspaces = sharedWorkspaces(folder.path);
    expect((await workspaces.prepare(taskWith({}), 1)).root).toBe(folder.path);
    expect((await workspaces.prepare(taskWith({ path: "docs/./" }), 1)).root).toBe(join(folder.path, "docs"));
  });

  test.each(["..", "../elsewhere", "/etc", "docs/../../elsewhere"])("is not %s", async (path) => {
    await using folder = await temporaryFolder();
    await expect(sharedWorkspaces(folder.path).prepare(taskWith({ path }), 1)).rejects.toMatchObject({
      code: "admission.refused",
      facts: { why: "workspace" },
    });
  });

  test("is not a folder that is not there, nor a link that leads out of the project", async () => {
    await using folder = await temporaryFolder();
    const project = join(folder.path, "project");
    const prepare = (path?: string) =>
      sharedWorkspaces(project).prepare(taskWith(path === undefined ? {} : { path }), 1);
    await expect(prepare()).rejects.toThrow("does not exist");
    await mkdir(join(project, "inside"), { recursive: true });
    await symlink(folder.path, join(project, "out"));
    await symlink("inside", join(project, "in"));
    await symlink("loop", join(project, "loop"));
    await expect(prepare("missing")).rejects.toThrow("does not exist");
    await expect(prepare("loop")).rejects.toThrow("does not exist");
    await expect(prepare("out")).rejects.toThrow("leads out of the project");
    expect((await prepare("in")).root).toBe(join(project, "in"));
  });

  test("is the project also where the project itself is a link", async () => {
    await using folder = await temporaryFolder();
    await mkdir(join(folder.path, "real", "docs"), { recursive: true });
    const project = join(folder.path, "link");
    await symlink("real", project);
    const workspaces = sharedWorkspaces(project);
    expect((await workspaces.prepare(taskWith({}), 1)).root).toBe(project);
    expect((await workspaces.prepare(taskWith({ path: "docs" }), 1)).root).toBe(join(project, "docs"));
  });

  test.each(["worktree", "sandbox", "custom"] as const)("does not stand in for the mode %s", async (mode) => {
    await using folder = await temporaryFolder();
    const workspaces = sharedWorkspaces(folder.path);
    expect(workspaces.modes).toEqual(["shared"]);
    await expect(workspaces.prepare(taskWith({ mode }), 1)).rejects.toMatchObject({
      code: "admission.refused",
      message: expect.stringContaining(`"${mode}"`),
    });
  });

  test("is read and written below its own root", async () => {
    await using folder = await temporaryFolder();
    await mkdir(join(folder.path, "docs"));
    await writeFile(join(folder.path, "above.txt"), "above");
    const { files } = await sharedWorkspaces(folder.path).prepare(taskWith({ path: "docs" }), 1);
    await files.write("a.txt", "inside");
    expect(await files.read("a.txt")).toBe("inside");
    expect(await readFile(join(folder.path, "docs/a.txt"), "utf8")).toBe("inside");
    await expect(files.read("../above.txt")).rejects.toMatchObject({ code: "input.invalid" });
    await expect(files.write("../above.txt", "x")).rejects.toMatchObject({ code: "input.invalid" });
  });

  test("is left as it is when it is released", async () => {
    await using folder = await temporaryFolder();
    const workspace = await sharedWorkspaces(folder.path).prepare(taskWith({}), 1);
    await workspace.files.write("kept.txt", "work that nobody has committed");
    await workspace.release();
    expect(await readdir(folder.path)).toEqual(["kept.txt"]);
  });
});
