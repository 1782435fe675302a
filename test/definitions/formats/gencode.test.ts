import { describe, expect, it } from "vitest";
import { gencode } from "../../../src/definitions/formats/gencode.ts";
import { AgentDefinition } from "../../../src/schema/index.ts";

const read = (text: string, below = "a.md") => gencode.read({ path: `.gen/agents/${below}`, below, text });
const agent = (settings: string) => {
  const [reading] = read(`---\nname: a\ndescription: d\n${settings}\n---\nBody\n`);
  if (reading?.ok !== true) throw new Error(reading?.problem ?? "no reading");
  return { definition: reading.definition, said: reading.remarks.map(({ kind, field }) => `${kind} ${field}`) };
};
const written = (fields: object): string =>
  gencode.write?.(AgentDefinition.parse({ name: "a", description: "d", ...fields })).text ?? "";

describe("a file of GenCode", () => {
  it("is read field by field", () => {
    const text = [
      "---",
      "name: ml-engineer",
      "description: Machine learning",
      "model: inherit",
      "permission-mode: dontAsk",
      "max-turns: 50",
      "tools:",
      "  mode: allowlist",
      "  allow:",
      "    - Read",
      "    - Bash",
      "---",
      "# Agent",
      "You train models.",
    ].join("\n");
    expect(read(text)).toMatchObject([
      {
        ok: true,
        definition: {
          name: "ml-engineer",
          description: "Machine learning",
          model: "inherit",
          prompt: "# Agent\nYou train models.",
          permission_mode: "auto",
          max_turns: 50,
          tools: ["Read", "Bash"],
          workspace: { allow_writes: true },
          x: {},
        },
        remarks: [{ kind: "mapped", field: "permission-mode" }],
      },
    ]);
  });

  it.each([
    ["plan", "plan"],
    ["default", "default"],
    ["acceptEdits", "acceptEdits"],
    ["dontAsk", "auto"],
    ["bypassPermissions", "default"],
  ])("in mode %s is %s", (word, mode) => {
    expect(agent(`permission-mode: ${word}`).definition.permission_mode).toBe(mode);
  });

  it("with Claude Code's spelling of a mode has Claude Code's meaning, and the narrower of two", () => {
    expect(agent("permissionMode: dontAsk").definition.permission_mode).toBe("denyUnasked");
    expect(agent("permission-mode: dontAsk\npermissionMode: plan").definition.permission_mode).toBe("plan");
  });

  it.each([
    [
      "a deny list",
      "tools:\n  mode: denylist\n  deny: [Bash]",
      { mode: "denylist", allow: [], ask: [], deny: ["Bash"] },
    ],
    [
      "a deny list that also allows",
      "tools: {mode: denylist, allow: [Read], deny: [Bash]}",
      { mode: "denylist", allow: [], ask: [], deny: ["Bash"] },
    ],
    [
      "an allow list that also denies",
      "tools: {mode: allowlist, allow: [Read, Bash], deny: [Bash]}",
      { mode: "allowlist", allow: ["Read", "Bash"], ask: [], deny: ["Bash"] },
    ],
    ["no mode and an allow list", "tools: {allow: [Read]}", ["Read"]],
    ["no mode and a deny list", "tools: {deny: [Bash]}", { mode: "denylist", allow: [], ask: [], deny: ["Bash"] }],
    ["an allow list without a list", "tools: {mode: allowlist}", []],
    ["a plain list", "tools: [Read, Grep]", ["Read", "Grep"]],
    ["a text", "tools: Read, Grep", ["Read", "Grep"]],
    ["nothing that can be read", "tools: 7", []],
    ["no value", "tools:", []],
    ["what delegates", "tools: {mode: allowlist, allow: [Read, Task]}", ["Read"]],
    ["nothing", "", undefined],
  ])("has as its tools %s", (_, settings, tools) => {
    expect(agent(settings).definition.tools).toEqual(tools);
  });

  it("keeps and writes back what has no meaning here", () => {
    const { definition, said } = agent("icon: x\ntools: {mode: allowlist, allow: [Read, Task, Skill]}");
    expect(definition.x).toEqual({ gencode: { icon: "x", tools: ["Task", "Skill"] } });
    expect(said).toEqual(["narrowed tools", "kept tools", "kept icon"]);
    expect(gencode.write?.(definition).text).toContain("allow:\n    - Read\n    - Task\n    - Skill\nicon: x");
  });

  it("without a name, a description or front matter is a problem; a README is nothing", () => {
    const texts = ["---\ndescription: d\n---", "---\nname: a\n---", "# Title\n\nText"];
    expect(texts.flatMap((text) => read(text).map(({ ok }) => ok))).toEqual([false, false, false]);
    expect(read("# Title", "README.md")).toEqual([]);
  });
});

describe("writing for GenCode", () => {
  it("says what can be said there", () => {
    const allow = {
      tools: ["Read", "Bash(git *)"],
      permission_mode: "auto",
      max_turns: 5,
      model: "sonnet",
      prompt: "Body",
    };
    expect(written(allow)).toBe(
      "---\nname: a\ndescription: d\nmodel: sonnet\npermission-mode: dontAsk\nmax-turns: 5\n" +
        "tools:\n  mode: allowlist\n  allow:\n    - Read\n---\n\nBody\n",
    );
    expect(written({ tools: { mode: "denylist", deny: ["Bash"] } })).toContain(
      "  mode: denylist\n  deny:\n    - Bash\n",
    );
  });
  it("takes what is denied out of what is allowed, since only one of both counts there", () => {
    expect(written({ tools: { mode: "allowlist", allow: ["Read", "Bash"], deny: ["Bash"] } })).toContain(
      "allow:\n    - Read\n---",
    );
  });
});
