// What whoever waited for a task finds in its files.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { openCadre } from "../../src/app/index.ts";
import type { TaskView } from "../../src/schema/index.ts";
import { freshFolder } from "../fresh-folder.ts";

const agents = [{ name: "worker", description: "works", tape: [{ say: "I look." }, { answer: "done" }] }];
const asked = { agent: "worker", prompt: "do it" };

async function opened() {
  const userHome = freshFolder("shown");
  const home = join(userHome, ".cadre");
  const cadre = await openCadre({ home, userHome, cwd: userHome, env: {}, agents });
  const text = (file: string) => readFileSync(join(home, file), "utf8");
  const status = (file: string): unknown => (JSON.parse(text(file)) as Record<string, unknown>)["status"];
  /** Without waiting for anything. */
  const found = ({ id, spec }: TaskView) => ({
    task: status(`tasks/${id}.json`),
    session: status(`sessions/${spec.session}.json`),
    plan: text(`plans/${id}_plan.md`),
  });
  return { cadre, text, found };
}

const ended = { task: "completed", session: "completed", plan: "# Plan for worker - do it\n" };

test("run and finish return when the files show the end", async () => {
  const { cadre, found } = await opened();
  await using _cadre = cadre;
  for (let n = 0; n < 5; n++) expect(found(await cadre.run(asked))).toEqual(ended);
  expect(found(await cadre.finish(await cadre.start(asked)))).toEqual(ended);
});

test("so does work, for all that has ended", async () => {
  const { cadre, found } = await opened();
  await using _cadre = cadre;
  const tasks = [await cadre.start(asked), await cadre.start(asked), await cadre.start(asked)];
  await cadre.work();
  expect(tasks.map(found)).toEqual([ended, ended, ended]);
});

test("its log has the last line that was shown soon after, although nothing has ended that line", async () => {
  const clock = vi.spyOn(Date, "now").mockReturnValue(Date.now()); // a second later it would be shown, for nothing follows
  onTestFinished(() => clock.mockRestore());
  const { cadre, text } = await opened();
  await using _cadre = cadre;
  const { id } = await cadre.run(asked);
  await expect.poll(() => text(`logs/${id}.log`)).toContain("| I look.");
});
