import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../custody/kit.ts";
import { FREE, withPeer } from "./kit.ts";
it.each(Array.from({ length: 40 }, (_n, i) => i))("terminal %i", async () => {
  const project = temporaryFolder();
  mkdirSync(join(project, "sub"));
  const steps = Array.from({ length: 5 }, (_n, i) => [
    { call: "terminal/create", params: { command: 'echo "$PWD $WHAT"', cwd: join(project, "sub"), env: [{ name: "WHAT", value: "ever" }] }, keep: `t${i}` },
    { call: "terminal/wait_for_exit", params: { terminalId: `$t${i}` } },
    { call: "terminal/output", params: { terminalId: `$t${i}` } },
    { tell: "last" as const }, { say: "\n" },
  ]).flat();
  await using world = await withPeer({ prompts: [steps] }, { project, agent: FREE });
  const task = await world.engine.run({ agent: "peer" });
  const answer = task.outcome?.status === "completed" ? task.outcome.answer : JSON.stringify(task.outcome);
  for (const line of answer.trim().split("\n")) expect(line).toContain("sub ever");
});
