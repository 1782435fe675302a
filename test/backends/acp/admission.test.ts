import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { acpBackend } from "../../../src/backends/acp/acp-backend.ts";
import { noConfinement } from "../../../src/confinement/none/no-confinement.ts";
import { systemClock } from "../../../src/platform/system-clock.ts";
import type { Confinement } from "../../../src/ports/index.ts";
import type { ConfinementLabel } from "../../../src/schema/index.ts";
import { fakeMint } from "../../../src/testing/index.ts";
import { temporaryFolder } from "../../custody/kit.ts";
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

  it.each<[string, Partial<Definition>, RegExp]>([
    ["scopes, which the system keeps", { policy: { fs: { read: ["src"] } } }, /^admitted$/],
    ["rules on files", { tools: { mode: "denylist", deny: ["Read(.env)"] } }, /rules on what Read may see/],
    ["no right to read", { tools: ["Bash"] }, /may not use Read freely/],
    ["tools that only read, without List", { tools: ["Read", "Glob", "Grep"] }, /^admitted$/],
    ["no right to list", { tools: { mode: "denylist", deny: ["List"] } }, /rules on what List may see/],
  ])("where programs are confined, with %s: %s", async (_what, agent, said) => {
    expect(await admitted(agent, { options: { isConfined: true } })).toMatch(said);
  });

  it("with exits, where none are given, is not admitted", async () => {
    const agent = { completion: { exits: ["complete_task" as const] } };
    expect(await admitted(agent, { options: { ownTools: undefined } })).toMatch(/is given no MCP server here/);
  });

  it.each<[string, Partial<Definition>]>([
    ["with tools that only read", { tools: ["Read", "Glob", "Grep", "List"] }],
    ["without a shell", { tools: { mode: "denylist", deny: ["Bash"] } }],
    ["by a preset, with its own command line", { backend: "opencode" }],
  ])("%s is admitted", async (_what, agent) => {
    expect(await admitted(agent)).toBe("admitted");
  });

  const heldBy = (commands: ConfinementLabel["commands"]): Confinement => ({
    prepare: async (wish) => ({
      ...(await noConfinement.prepare(wish)),
      label: { commands, fileTools: "policy" },
    }),
  });
  const SCOPES = { policy: { fs: { read: ["src"] } } };
  const RULES = { tools: { mode: "denylist" as const, deny: ["Read(.env)"] } };

  it.each<[ConfinementLabel["commands"], Partial<Definition>, string]>([
    ["policy", SCOPES, "it may read only a part of the project"],
    ["policy", RULES, "there are rules on what Read may see"],
    ["files", RULES, "there are rules on what Read may see"],
    ["os", RULES, "there are rules on what Read may see"],
    ["os", { tools: ["Bash"] }, "it may not use Read freely"],
  ])("is not run where what holds it (%s) cannot keep %j, whatever was seen before", async (commands, agent, why) => {
    const setup = { agent, isUnseen: true, engine: { confinement: heldBy(commands) } };
    const outcome = await outcomeOf([{ say: "done" }], setup);
    expect(outcome).toMatchObject({ reason: "refused", message: expect.stringContaining(why) as string });
  });

  it.each(["files", "os"] as const)("is run where the system (%s) keeps its scopes", async (commands) => {
    const setup = { agent: { ...FREE, ...SCOPES }, isUnseen: true, engine: { confinement: heldBy(commands) } };
    expect(await outcomeOf([{ say: "done" }], setup, { session: {} })).toMatchObject({ answer: "done" });
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

describe("a peer that is known by its documents only", () => {
  const key = (name: string) => (name === "PATH" ? process.env["PATH"] : name.endsWith("_API_KEY") ? "k" : undefined);
  const options = { lookup: key };
  const confined = { options: { ...options, isConfined: true } };

  it.each(["acp-cursor", "acp-kiro"])("%s is not believed where nothing confines it", async (backend) => {
    const plan = { backend, permission_mode: "plan" } as const;
    expect(await admitted(plan, { options })).toContain("by its documents, never run here");
    expect(await admitted(plan, confined)).toBe("admitted");
  });

  it("acp-cursor is not given what it would have to ask about: it changes files unasked", async () => {
    expect(await admitted({ backend: "acp-cursor" }, confined)).toContain("has no mode in which it asks");
    expect(await admitted({ backend: "acp-kiro" }, confined)).toBe("admitted");
  });

  it("is not run where the attempt turns out not to be confined", async () => {
    const agent = { backend: "acp-kiro", permission_mode: "plan" } as const;
    const outcome = await outcomeOf([{ say: "done" }], { agent, ...confined });
    expect(outcome).toMatchObject({ status: "failed", reason: "refused" });
  });

  it("is said to be so by doctor", async () => {
    const backends = acpBackend({
      home: "/nowhere",
      clock: systemClock,
      mint: fakeMint(),
      version: "0.0.0",
      lookup: (name) => (name === "PATH" ? binWith("cursor-agent") : undefined),
    });
    const found = await backends.find(({ name }) => name === "acp-cursor")?.look?.();
    expect(found?.says).toContain("by its documents, never run here");
    expect(found?.fix).toBe("Set CURSOR_API_KEY");
  });
});

function binWith(program: string): string {
  const bin = temporaryFolder();
  writeFileSync(join(bin, program), "#!/bin/sh\n");
  chmodSync(join(bin, program), 0o755);
  return bin;
}

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
