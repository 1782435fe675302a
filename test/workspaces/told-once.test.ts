// Whoever was killed after the log had it, and before what is known of the tree was gone, is not told of twice.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openCadre } from "../../src/app/index.ts";
import { clock, mint } from "../../src/app/system.ts";
import type { Store } from "../../src/ports/index.ts";
import type { TaskView } from "../../src/schema/index.ts";
import { sqliteStore } from "../../src/stores/sqlite/sqlite-store.ts";
import { repository, type TestProject } from "./kit.ts";

const agent = (mode: "worktree" | "sandbox") => ({
  name: "writer",
  description: "writes",
  permission_mode: "acceptEdits" as const,
  workspace: { mode },
  tape: [{ write: "b.txt", content: "new\n" }, { answer: "done" }],
});

async function open({ home, userHome }: TestProject, mode: "worktree" | "sandbox", dies = false) {
  const store = await sqliteStore(join(userHome, "cadre.db"), clock, mint);
  const dying = new Proxy(store, {
    get(target, name) {
      if (name === "command")
        return async (...args: Parameters<Store["command"]>) => {
          await target.command(...args);
          throw new Error("killed");
        };
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const env = { PATH: process.env["PATH"] };
  return openCadre({ home, userHome, cwd: userHome, env, agents: [agent(mode)], store: dies ? dying : store });
}

const toldOf = async (cadre: Awaited<ReturnType<typeof open>>, { id }: TaskView): Promise<string[]> =>
  (await cadre.call("task.events", { task: id, stream: "control" })).events.map(({ event }) => event.type);

describe.each(["worktree", "sandbox"] as const)("of a %s", (mode) => {
  test.each(["merge", "discard"] as const)("a %s", async (what) => {
    const place = repository();
    let task: TaskView;
    {
      await using cadre = await open(place, mode);
      task = await cadre.run({ agent: "writer", prompt: "go" });
    }
    const tree = task.kept?.root ?? "";
    {
      await using cadre = await open(place, mode, true);
      await expect(cadre.call(`workspace.${what}`, { task: task.id })).rejects.toThrow("killed");
      expect(existsSync(`${tree}.json`)).toBe(true);
    }
    await using cadre = await open(place, mode);
    expect((await cadre.call("workspace.list", {})).work).toEqual([]);
    expect(existsSync(tree) || existsSync(`${tree}.json`)).toBe(false);
    const type = what === "merge" ? "workspace.merged" : "workspace.discarded";
    expect(await toldOf(cadre, task)).toEqual([type]);
  });

  test("a second merge of the same session is told as the first was", async () => {
    const place = repository();
    await using cadre = await open(place, mode);
    const first = await cadre.run({ agent: "writer", prompt: "go" });
    expect(await cadre.call("workspace.merge", { task: first.id })).toMatchObject({ kind: "merged" });
    expect(readFileSync(join(place.project, "b.txt"), "utf8")).toBe("new\n");
    if (mode === "worktree") place.git("revert", "--no-edit", "-m", "1", "HEAD");
    else place.git("clean", "--quiet", "--force", "b.txt");
    const again = await cadre.run({ agent: "writer", prompt: "go", session: first.spec.session });
    expect(again.kept).toMatchObject({ files: 1 });
    // By the first task's name: its stream has a merge already, which is another one.
    expect(await cadre.call("workspace.merge", { task: first.id })).toMatchObject({ kind: "merged" });
    expect(await toldOf(cadre, first)).toEqual(["workspace.merged", "workspace.merged"]);
  });
});
