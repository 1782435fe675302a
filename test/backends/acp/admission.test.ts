import { describe, expect, it } from "vitest";
import type { Definition } from "../../engine/kit.ts";
import { type AcpSetup, FREE, outcomeOf, withPeer } from "./kit.ts";

const admitted = async (agent: Partial<Definition>, setup: AcpSetup = {}): Promise<string> => {
  await using world = await withPeer({}, { agent, ...setup });
  return world.engine.start({ agent: "peer" }).then(
    () => "admitted",
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
};

describe("a task for a peer", () => {
  it.each<[string, Partial<Definition>, RegExp]>([
    ["that is not there", { command: ["no-such-agent-x"] }, /there is no program no-such-agent-x/],
    ["of which no command is known", { command: undefined }, /names no command to run/],
    [
      "with exits, where none are given",
      { backend: "copilot", completion: { exits: ["complete_task"] } },
      /takes no MCP servers/,
    ],
    ["with a budget in money", { budget_usd: 1 }, /money is limited here/],
    [
      "that may read only a part of the project",
      { policy: { fs: { read: ["src"] } } },
      /may read only a part of the project/,
    ],
    ["without the right to read at all", { tools: ["Bash"] }, /may not use Read freely/],
    [
      "with rules on what it may read",
      { tools: { mode: "denylist", deny: ["Read(secrets/**)"] } },
      /rules on what Read may see/,
    ],
    ["whose key is missing", { backend: "acp-gemini" }, /"acp-gemini" needs a key/],
  ])("%s is not admitted", async (_what, agent, message) => {
    expect(await admitted(agent)).toMatch(message);
  });

  it.each<[string, Partial<Definition>]>([
    ["with tools that only read", { tools: ["Read", "Glob", "Grep", "List"] }],
    ["without a shell", { tools: { mode: "denylist", deny: ["Bash"] } }],
    ["by a preset, with its own command line", { backend: "opencode" }],
  ])("%s is admitted", async (_what, agent) => {
    expect(await admitted(agent)).toBe("admitted");
  });

  it("is held to its tools: what is not among them is refused when the peer asks", async () => {
    const toolCall = { toolCallId: "c", title: "ls", kind: "execute", rawInput: { command: "ls" } };
    const outcome = await outcomeOf([{ ask: toolCall }, { tell: "last" }], {
      agent: { tools: ["Read", "Glob", "Grep", "List"] },
    });
    expect(outcome).toMatchObject({ answer: expect.stringContaining('"no"') as string });
  });

  it("needs no mode of the peer where nothing has to be asked", async () => {
    const script = { session: {} };
    expect(await outcomeOf([{ say: "free" }], { agent: FREE }, script)).toMatchObject({ status: "completed" });
    const message = expect.stringContaining("it offers no mode default or ask") as string;
    expect(await outcomeOf([{ say: "free" }], {}, script)).toMatchObject({ reason: "refused", message });
  });
});

describe("the model of a peer", () => {
  const options = ["small", "acme/large"].map((value) => ({ value, name: value }));
  const config = { id: "model", name: "Model", type: "select", category: "model", currentValue: "small", options };
  const session = { configOptions: [config] };

  it.each(["acme/large", "large", "other/small"])("is set where it offers it: %s", async (model) => {
    expect(await outcomeOf([{ say: "ok" }], { agent: { ...FREE, model } }, { session })).toMatchObject({
      status: "completed",
    });
  });

  it("is a reason to fail where it does not", async () => {
    const outcome = await outcomeOf([{ say: "ok" }], { agent: { ...FREE, model: "acme/huge" } }, { session });
    const message = "the peer does not offer the model acme/huge; it has small, acme/large";
    expect(outcome).toMatchObject({ status: "failed", reason: "backend_unavailable", message });
  });
});
