// The plan of a task has its title before the agent's own list goes into it, however quickly that comes.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { callTool, say } from "../models/wire/index.ts";
import { FORMATS, openWired } from "./kit.ts";

test("a list that is the first thing that an agent writes stands below the title", async () => {
  const [line] = FORMATS;
  if (line === undefined) throw new Error("there is no format");
  const todos = [{ content: "look", status: "pending", activeForm: "Looking" }];
  const agents = [{ name: "agent", description: "plans", tools: ["TodoWrite"] }];
  await using wired = await openWired(line, [{ parts: [callTool("TodoWrite", { todos })] }, say("done")], { agents });
  const task = await wired.cadre.run({ agent: "agent", prompt: "Plan it." });
  expect(task).toMatchObject({ status: "completed", calls: { made: 1, refused: 0 } });
  const plan = readFileSync(join(wired.home, "plans", `${task.id}_plan.md`), "utf8");
  expect(plan).toMatch(/^# Plan for agent - Plan it\.\n/);
  expect(plan).toContain("look");
});
