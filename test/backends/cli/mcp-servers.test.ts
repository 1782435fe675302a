// MCP servers of an agent that runs on a CLI, with a stub in its place. `test/clis/mcp-servers.real.ts` has the same on
// the real ones.
import { describe, expect, it } from "vitest";
import { ownToolsFor } from "../../../src/app/own-tools.ts";
import { claude } from "../../../src/backends/claude/claude.ts";
import { codex } from "../../../src/backends/codex/codex.ts";
import { gemini } from "../../../src/backends/gemini/gemini.ts";
import { registryOf } from "../../../src/testing/index.ts";
import { factsOf } from "../../engine/kit.ts";
import { program } from "../../tools/mcp/kit.ts";
import type { OwnCall } from "../own-tools/call-tool.ts";
import { toolboxOfServers } from "../own-tools/server-toolbox.ts";
import { KEY_VALUE, transcript, withStub } from "./kit.ts";

const READING = ["Read", "Glob", "Grep", "List"];
const call = (tool: string, args = {}): OwnCall => ({ tool: `mcp__files__${tool}`, args });

describe.each([claude, codex, gemini])("an MCP server of an agent on $name", (cli) => {
  it("is called through the server of the attempt, ruled like any tool, and does not see the key", async () => {
    const calls = [call("echo", { text: "MARMOTS" }), call("environment"), call("broken")];
    const plays = [{ says: transcript(cli, "text"), isDialogue: cli === claude, ours: calls }];
    await using world = await withStub(cli, plays, {
      agent: {
        permission_mode: "auto",
        mcp_servers: { files: program("server", "2026") },
        tools: [...READING, "mcp__files__echo", "mcp__files__environment"],
      },
      options: { ownTools: ownToolsFor(registryOf(), async () => toolboxOfServers()) },
    });
    const { id, outcome } = await world.engine.run({ agent: "worker" });
    expect(outcome).toMatchObject({ status: "completed", answer: "forty-two" });
    const log = await world.engine.log(id);
    expect(factsOf(log, "tool.called").map(({ tool, effect }) => [tool, effect])).toEqual([
      ["mcp__files__echo", "exec"],
      ["mcp__files__environment", "exec"],
    ]);
    const [said, environment] = factsOf(log, "tool.returned").map(({ output }) => output);
    expect(said).toContain("echo: MARMOTS");
    expect(environment).toContain("PATH");
    expect(environment).not.toContain("{{secret:"); // it was not taken out of it: it was never in it
    expect(JSON.stringify(log)).not.toContain(KEY_VALUE);
    // None of the program's own settings holds it.
    const started = world.started()[0];
    expect(started?.args.join(" ")).not.toContain(program("server").args[0]);
  });
});
