import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it, describe } from "vitest";
import { claude } from "../../src/backends/claude/claude.ts";
import { codex } from "../../src/backends/codex/codex.ts";
import { gemini } from "../../src/backends/gemini/gemini.ts";
import { withCli } from "./kit.ts";
const WRITE = { claude: {name:"Write", args: {file_path: "x.txt", content:"x"}}, codex: {name:"exec_command", args:{cmd:"touch x.txt"}}, gemini: {name:"write_file", args:{file_path:"x.txt", content:"x"}}} as const;
describe.each([claude, codex, gemini])("$name", (cli) => {
  it("debug", async () => {
    await using world = await withCli(cli, [{ calls: [WRITE[cli.name as "claude"]] }, { text: "done" }], { model: cli.name === "codex" ? "openai/gpt-5.5": cli.name==="gemini" ? "google/gemini-2.5-flash":"sonnet" });
    const task = await world.engine.run({ agent: "worker" });
    console.log(JSON.stringify(task.outcome), JSON.stringify(task.spent ?? null));
    for (const { event } of await world.engine.log(task.id)) if (event.type !== "task.admitted") console.log(JSON.stringify(event).slice(0, 400));
    expect(readdirSync(world.project)).toEqual([".cadre"]);
  });
});
