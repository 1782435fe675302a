// MCP servers of an agent, on everything that can run it: really started by Cadre, and really called by each program
// through the server that Cadre has for the attempt.
import { describe, expect, it } from "vitest";
import { factsOf } from "../engine/kit.ts";
import { program } from "../tools/mcp/kit.ts";
import { ROWS, runOn } from "./every-backend.ts";
import { KEY } from "./kit.ts";

const FILES = program("server", "2026");
const READING = ["Read", "Glob", "Grep", "List"];

describe.each(ROWS)("an MCP server of an agent on $backend", (row) => {
  const replies = () => [
    { calls: [row.ours("mcp__files__echo", { text: "MARMOTS" })] },
    { calls: [row.ours("mcp__files__environment", {})] },
    { calls: [row.ours("mcp__files__broken", {})] },
    { text: "all done" },
  ];
  const agent = (...tools: string[]) => ({
    permission_mode: "auto" as const,
    mcp_servers: { files: FILES },
    tools: [...READING, ...tools.map((tool) => `mcp__files__${tool}`)],
  });

  it("is called, does not see the key, and what it is not to do is not done", async () => {
    const { task, log, server } = await runOn(row, replies, agent("echo", "environment"));
    expect(task.outcome).toMatchObject({ status: "completed", answer: "all done" });
    const called = factsOf(log, "tool.called").filter(({ tool }) => tool.startsWith("mcp__"));
    expect(called.map(({ tool }) => tool)).toEqual(["mcp__files__echo", "mcp__files__environment"]);
    const returned = factsOf(log, "tool.returned").map(({ output }) => output);
    expect(returned[0]).toContain("echo: MARMOTS");
    expect(returned[1]).toContain("PATH");
    expect(JSON.stringify(log)).not.toContain(KEY);
    // The model has heard it, from the program.
    const heard = JSON.stringify(server.asked.at(-1)?.body);
    expect(heard).toContain("echo: MARMOTS");
    expect(heard).not.toContain("it broke");
  });
});
