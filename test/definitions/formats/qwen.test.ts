import { describe, expect, it } from "vitest";
import { qwen } from "../../../src/definitions/formats/qwen.ts";
import { AgentDefinition } from "../../../src/schema/index.ts";

const read = (text: string, below = "a.md") => qwen.read({ path: `.qwen/agents/${below}`, below, text });
const agent = (settings: string) => {
  const [reading] = read(`---\nname: a\ndescription: d\n${settings}\n---\nBody\n`);
  if (reading?.ok !== true) throw new Error(reading?.problem ?? "no reading");
  return { definition: reading.definition, said: reading.remarks.map(({ kind, field }) => `${kind} ${field}`) };
};
const written = (fields: object): string =>
  qwen.write?.(AgentDefinition.parse({ name: "a", description: "d", ...fields })).text ?? "";

describe("a file of Qwen Code", () => {
  it("is read field by field", () => {
    const { definition, said } = agent(
      "tools: [read_file, run_shell_command, mcp__github__search]\ndisallowedTools: [write_file]\napprovalMode: auto-edit\n" +
        "model: openai:some-model\nmaxTurns: 9\nbackground: true\nrunConfig: {max_time_minutes: 4, other: 1}",
    );
    expect(definition).toMatchObject({
      prompt: "Body",
      tools: { mode: "allowlist", allow: ["Read", "Bash", "mcp__github__search"], deny: ["Write"] },
      permission_mode: "acceptEdits",
      model: "openai:some-model",
      max_turns: 9,
      timeout_mins: 4,
      background: true,
      workspace: { mode: "shared", allow_writes: true },
      x: { qwen: { runConfig: { other: 1 } } },
    });
    expect(said).toEqual(["mapped tools", "mapped disallowedTools", "mapped approvalMode", "kept other"]);
  });

  it.each([
    ["approvalMode: default", "default"],
    ["approvalMode: plan", "plan"],
    ["approvalMode: auto-edit", "acceptEdits"],
    ["approvalMode: yolo", "auto"],
    ["approvalMode: bubble", "default"],
    ["approvalMode: toString", "default"],
    ["permissionMode: acceptEdits", "acceptEdits"],
    ["permissionMode: auto", "acceptEdits"],
    ["permissionMode: bypassPermissions", "auto"],
    ["permissionMode: dontAsk", "default"],
    ["approvalMode: yolo\npermissionMode: plan", "plan"],
    ["approvalMode: yolo\nhooks: {PreToolUse: []}", "default"],
    ["", "default"],
  ])("with %j is in mode %s", (settings, mode) => {
    expect(agent(settings).definition.permission_mode).toBe(mode);
  });

  it("reads the older place of the turns, and the newer one first", () => {
    expect(agent("runConfig: {max_turns: 3}").definition.max_turns).toBe(3);
    expect(agent("runConfig: {max_turns: 3}\nmaxTurns: 5").definition.max_turns).toBe(5);
  });

  it("keeps what has no meaning here, and strips what delegates", () => {
    const { definition } = agent(
      "tools: [agent, ReadFile, skill]\ncolor: blue\nmcpServers: {a: {command: b}}\neffort: high",
    );
    expect(definition.tools).toEqual(["Read"]);
    expect(definition.effort).toBeUndefined();
    expect(definition.x).toEqual({
      qwen: { tools: ["agent", "skill"], color: "blue", mcpServers: { a: { command: "b" } }, effort: "high" },
    });
    const [again] = read(qwen.write?.(definition).text ?? "");
    expect(again).toMatchObject({ ok: true, definition });
  });

  it("without a name, a description or front matter is a problem; a README is nothing", () => {
    const texts = ["---\ndescription: d\n---", "---\nname: a\n---", "# Title\n\nText"];
    expect(texts.flatMap((text) => read(text).map(({ ok }) => ok))).toEqual([false, false, false]);
    expect(read("# Title", "README.md")).toEqual([]);
  });
});

describe("writing for Qwen Code", () => {
  it("says what can be said there", () => {
    const text = written({
      tools: { mode: "allowlist", allow: ["Read", "Grep"], deny: ["Bash"] },
      permission_mode: "auto",
      model: "haiku",
      max_turns: 4,
      timeout_mins: 2.5,
      prompt: "Body",
    });
    expect(text).toBe(
      "---\nname: a\ndescription: d\napprovalMode: yolo\ntools:\n  - read_file\n  - grep_search\n" +
        "disallowedTools:\n  - run_shell_command\nmaxTurns: 4\nrunConfig:\n  max_time_minutes: 2.5\n---\n\nBody\n",
    );
  });
});
