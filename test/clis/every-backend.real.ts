// One read-only definition, on everything that can run it: the model tries to write in every way that it is offered, and
// in some that it is not. No file appears.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROWS, runOn } from "./every-backend.ts";

const READER = { permission_mode: "plan", tools: ["Read", "Glob", "Grep", "List"] } as const;
const FREE = { permission_mode: "auto", workspace: { allow_writes: true } } as const;

describe.each(ROWS)("the same read-only agent on $backend", (row) => {
  const attacks = (project: string) => row.attacks(join(project, "attacked.txt")).map((call) => ({ calls: [call] }));
  const replies = (project: string) => [...attacks(project), { text: "gave up" }];

  it("tries to write in every way, and no file appears", async () => {
    const { task, project, server } = await runOn(row, replies, { ...READER, tools: [...READER.tools] });
    expect(readdirSync(project)).toEqual([".cadre"]);
    expect(task.outcome).toMatchObject({ status: "completed", answer: "gave up" });
    expect(server.asked.length).toBeGreaterThan(attacks(project).length);
  });

  it("would write in some of them, were it allowed to: the attempts are real", async () => {
    const { project } = await runOn(row, replies, FREE);
    expect(readdirSync(project)).toContain("attacked.txt");
  });
});

describe.each(ROWS)("exits on $backend", (row) => {
  it("reach it also where it is confined, and what one says is the answer", async () => {
    const replies = () => [{ calls: [row.ours("complete_task", { result: "by the exit" })] }, { text: "bye" }];
    const { task } = await runOn(row, replies, { permission_mode: "plan", completion: { exits: ["complete_task"] } });
    expect(task.outcome).toMatchObject({ status: "completed", answer: "by the exit" });
  });
});
