// Who of the library waits for the disk at the beginning of a task.
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { openCadre } from "../../src/app/index.ts";
import { clock, mint } from "../../src/app/system.ts";
import { sqliteStore } from "../../src/stores/sqlite/sqlite-store.ts";
import { freshFolder } from "../fresh-folder.ts";

const agents = [
  { name: "lead", description: "leads", tape: [{ delegate: "helper", prompt: "a part" }, { answer: "done" }] },
  { name: "helper", description: "helps", tape: [{ answer: "helped" }] },
];

test("run waits for the end alone, start is relied on from then on, and an agent's own tasks are its worker's affair", async () => {
  const userHome = freshFolder("awaited");
  const home = join(userHome, ".cadre");
  const store = await sqliteStore(join(home, "cadre.db"), clock, mint);
  const admit = vi.spyOn(store, "admit");
  const asked = () =>
    admit.mock.calls
      .splice(0)
      .map(([admissions, hold]) => [admissions.map(({ isAwaited }) => isAwaited), hold !== undefined]);
  await using cadre = await openCadre({ home, userHome, cwd: userHome, env: {}, store, agents });
  const { outcome } = await cadre.run({ agent: "lead", prompt: "do it" });
  expect(outcome).toMatchObject({ status: "completed" });
  expect(asked()).toEqual([
    [[true], false],
    [[false], true],
  ]);
  const started = await cadre.start({ agent: "helper", prompt: "do it" });
  expect(asked()).toEqual([[[false], false]]);
  await cadre.finish(started);
  expect(asked()).toEqual([]);
});
