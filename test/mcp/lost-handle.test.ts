// A host that gave up on a call was never told the id of the task: it can still find it, while it goes on.
import { expect, test } from "vitest";
import { agentFile, place } from "../cli/command-line.ts";
import { inProcess } from "./host.ts";

const FILES = {
  ".cadre/agents/hello.md": agentFile("hello", "  - answer: Hello there."),
  ".cadre/agents/hanger.md": agentFile("hanger", "  - say: hanging\n  - hang: true"),
};

test("task_output without an id lists what was started by MCP, the newest first", { timeout: 60_000 }, async () => {
  const { call, client, person } = await inProcess(await place(FILES));
  expect((await call("task_output", {})).data).toEqual({ tasks: [] });
  await call("task", { agent_name: "hello", prompt: "greet" });
  await person.start({ agent: "hello", prompt: "of a person" });
  const hanging = { name: "task", arguments: { agent_name: "hanger", prompt: "first\n<b>second</b>" } };
  await expect(client.callTool(hanging, { timeout: 500 })).rejects.toThrow(/timed out/i);
  const started = async () => (await person.call("task.list", {})).tasks.map(({ spec }) => spec.definition.name);
  await expect.poll(started).toContain("hanger");

  const { data, text } = await call("task_output", {});
  expect(data["tasks"]).toMatchObject([
    { agent: "hanger", status: expect.stringMatching(/pending|running/), prompt: "first <b>second</b>" },
    { agent: "hello", status: "completed", prompt: "greet" },
  ]);
  const [{ task_id: id } = { task_id: "" }] = data["tasks"] as { task_id: string }[];
  expect(text.split("\n")[0]).toMatch(new RegExp(`^${id} hanger \\w+ \\S+Z "first \\\\u\\{3c\\}b>`));
  expect((await call("task_stop", { task_id: id })).data).toMatchObject({ status: "cancelled" });
});
