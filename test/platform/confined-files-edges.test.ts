import { chmod, stat, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readConfined, writeConfined } from "../../src/platform/confined-files.ts";
import type { TaskView } from "../../src/schema/index.ts";
import { registryOf, startEngine } from "../../src/testing/index.ts";
import { sharedWorkspaces } from "../../src/workspaces/shared/shared-workspaces.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const refused = { code: "input.invalid" };

test("a name that is too long is refused like any other that cannot be opened", async () => {
  await using folder = await temporaryFolder();
  const name = "x".repeat(300);
  await expect(readConfined(folder.path, name)).rejects.toMatchObject(refused);
  await expect(writeConfined(folder.path, name, "")).rejects.toMatchObject(refused);
  await expect(writeConfined(folder.path, `${name}/a`, "")).rejects.toMatchObject(refused);
});

test("a name that is as long as a name may be can be written", async () => {
  await using folder = await temporaryFolder();
  const name = "x".repeat(255);
  await writeConfined(folder.path, name, "text");
  expect(await readConfined(folder.path, name)).toBe("text");
});

test("a path of a model that is too long does not crash its attempt", async () => {
  await using folder = await temporaryFolder();
  const tape = [{ read: "x".repeat(300) }, { answer: "done" }];
  await using engine = await startEngine({
    workspaces: sharedWorkspaces(folder.path),
    registry: registryOf({ name: "player", description: "Plays.", tape }),
  });
  expect((await engine.run({ agent: "player" })).outcome).toMatchObject({ status: "completed" });
});

test.each([0o775, 0o666, 0o777])("keeps the mode %o, whatever the mask of the process is", async (mode) => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "a.sh");
  await writeFile(path, "old");
  await chmod(path, mode);
  await writeConfined(folder.path, "a.sh", "new");
  expect(((await stat(path)).mode & 0o777).toString(8)).toBe(mode.toString(8));
});

test("a socket is refused", async () => {
  await using folder = await temporaryFolder();
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(join(folder.path, "socket"), resolve));
  try {
    await expect(readConfined(folder.path, "socket")).rejects.toMatchObject(refused);
  } finally {
    server.close();
  }
});

test("a workspace that is a link out of the project is refused", async () => {
  await using outside = await temporaryFolder();
  await using folder = await temporaryFolder();
  await writeFile(join(outside.path, "secret.txt"), "secret");
  await symlink(outside.path, join(folder.path, "link"));
  const task = { spec: { workspace: { mode: "shared", path: "link", allow_writes: true } } } as TaskView;
  const read = async () => (await sharedWorkspaces(folder.path).prepare(task, 1)).files.read("secret.txt");
  await expect(read()).rejects.toMatchObject({});
});
