// What is left of each restriction after an agent was written for another program and read again. What is not left
// is lost there; the comparison that an export makes depends on finding it missing here.
import { describe, expect, it } from "vitest";
import { claude } from "../../../src/definitions/formats/claude.ts";
import { copilot } from "../../../src/definitions/formats/copilot.ts";
import type { Format } from "../../../src/definitions/formats/format.ts";
import { gemini } from "../../../src/definitions/formats/gemini/gemini.ts";
import { gencode } from "../../../src/definitions/formats/gencode.ts";
import { qwen } from "../../../src/definitions/formats/qwen.ts";
import { AgentDefinition, PermissionMode } from "../../../src/schema/index.ts";

const FORMATS = { claude, gencode, qwen, gemini, copilot };
type Id = keyof typeof FORMATS;

function back(id: Id, fields: object): AgentDefinition {
  const format: Format = FORMATS[id];
  const written = format.write?.(AgentDefinition.parse({ name: "a", description: "d", prompt: "p", ...fields }));
  const [reading] = format.read({ path: "", below: written?.file ?? "", text: written?.text ?? "" });
  if (reading?.ok !== true) throw new Error(reading?.problem ?? "nothing came back");
  return reading.definition;
}

const rows = <T>(table: Readonly<Record<Id, T>>): [Id, T][] => Object.entries(table) as [Id, T][];

describe("a permission mode", () => {
  const same = Object.fromEntries(PermissionMode.options.map((mode) => [mode, mode]));
  const never = Object.fromEntries(PermissionMode.options.map((mode) => [mode, "default"]));
  const cases = rows({
    claude: same,
    gencode: { ...same, denyUnasked: "default" },
    qwen: { ...same, denyUnasked: "default" },
    gemini: never,
    copilot: never,
  }).flatMap(([id, modes]) => Object.entries(modes).map(([mode, left]) => [id, mode, left] as const));

  it.each(cases)("of %s: %s comes back as %s", (id, permission_mode, left) => {
    expect(back(id, { permission_mode }).permission_mode).toBe(left);
  });
});

describe("an allow list", () => {
  it.each(Object.keys(FORMATS) as Id[])("comes back from %s", (id) => {
    for (const tools of [
      ["Read"],
      ["Read", "Grep", "Bash"],
      [],
      ["Edit", "Write", "WebFetch", "mcp__github__search"],
    ]) {
      expect(back(id, { tools }).tools).toEqual(tools);
    }
  });

  it.each(Object.keys(FORMATS) as Id[])("of %s without what delegates comes back without it", (id) => {
    expect(back(id, { tools: ["Read", "Task", "TaskStop"] }).tools).toEqual(["Read"]);
  });

  it.each(Object.keys(FORMATS) as Id[])("of %s has no rules: the tool is left out, never given whole", (id) => {
    expect(back(id, { tools: ["Read", "Bash(git diff *)"] }).tools).toEqual(["Read"]);
  });

  it.each(Object.keys(FORMATS) as Id[])("comes back from %s less what is denied", (id) => {
    const { tools } = back(id, { tools: { mode: "allowlist", allow: ["Read", "Bash"], deny: ["Bash"] } });
    const both = { mode: "allowlist", allow: ["Read", "Bash"], ask: [], deny: ["Bash"] };
    expect(tools).toEqual(id === "claude" || id === "qwen" ? both : ["Read"]);
  });
});

describe("a deny list", () => {
  const denied = (deny: string[]) => ({ mode: "denylist", allow: [], ask: [], deny });
  const bash = { tools: denied(["Bash"]) };
  const rest = ["Read", "Write", "Edit", "Glob", "Grep", "List", "WebFetch", "WebSearch", "TodoWrite"];

  it.each(
    rows<unknown>({
      claude: bash.tools,
      gencode: bash.tools,
      qwen: bash.tools,
      gemini: [...rest, "AskUser", "MemoryAdd"].toSorted(),
      copilot: rest.toSorted(),
    }),
  )("comes back from %s, as a list of the rest where it has to be", (id, left) => {
    const { tools } = back(id, bash);
    expect(Array.isArray(tools) ? tools.toSorted() : tools).toEqual(left);
  });

  it.each(
    rows<unknown>({
      claude: bash.tools,
      gencode: bash.tools,
      qwen: bash.tools,
      gemini: undefined,
      copilot: undefined,
    }),
  )("with a rule comes back from %s as the whole tool, or is lost", (id, left) => {
    expect(back(id, { tools: denied(["Bash(rm *)"]) }).tools).toEqual(left);
  });

  it.each(["claude", "gencode", "qwen"] as const)("of fetching comes back from %s with our own tool for it", (id) => {
    expect(back(id, { tools: denied(["WebFetch"]) }).tools).toEqual(denied(["WebFetch", "HttpRequest"]));
  });

  it.each(Object.keys(FORMATS) as Id[])("of everything comes back from %s", (id) => {
    const { tools } = back(id, { tools: denied(["*"]) });
    expect(tools).toEqual(id === "gemini" || id === "copilot" ? [] : denied(["*"]));
  });
});

describe("what is asked", () => {
  it.each(Object.keys(FORMATS) as Id[])("is lost on the way to %s, and seen to be", (id) => {
    const tools = { mode: "denylist", allow: [], ask: ["Bash"], deny: [] };
    expect(back(id, { tools, permission_mode: "auto" }).tools).toBeUndefined();
  });
});

describe("limits", () => {
  it.each(rows({ claude: 7, gencode: 7, qwen: 7, gemini: 7, copilot: undefined }))(
    "of turns: %s has %s left",
    (id, left) => {
      expect(back(id, { max_turns: 7 }).max_turns).toBe(left);
    },
  );
  it.each(rows({ claude: undefined, gencode: undefined, qwen: 2.5, gemini: 2, copilot: undefined }))(
    "of time: %s has %s left",
    (id, left) => {
      expect(back(id, { timeout_mins: 2.5 }).timeout_mins).toBe(left);
    },
  );
  it.each(Object.keys(FORMATS) as Id[])("of output, tokens and money are lost on the way to %s", (id) => {
    const { max_output_kb, max_tokens, budget_usd } = back(id, { max_output_kb: 1, max_tokens: 1, budget_usd: 1 });
    expect([max_output_kb, max_tokens, budget_usd]).toEqual([undefined, undefined, undefined]);
  });
});

describe("writing to the project", () => {
  it.each(Object.keys(FORMATS) as Id[])("is open on %s to an agent that has a tool for it", (id) => {
    const workspace = { mode: "shared", allow_writes: false };
    expect(back(id, { workspace }).workspace.allow_writes).toBe(true);
    expect(back(id, { workspace, tools: ["Read", "Bash"] }).workspace.allow_writes).toBe(true);
    expect(back(id, { workspace, tools: ["Read", "Grep"] }).workspace.allow_writes).toBe(false);
  });
  it.each(["claude", "gencode", "qwen"] as const)("is closed on %s in plan mode", (id) => {
    expect(back(id, { permission_mode: "plan" }).workspace.allow_writes).toBe(false);
  });
  it.each(rows({ claude: "worktree", gencode: "shared", qwen: "shared", gemini: "shared", copilot: "shared" }))(
    "in a worktree comes back from %s as %s",
    (id, mode) => {
      expect(back(id, { workspace: { mode: "worktree", allow_writes: true } }).workspace.mode).toBe(mode);
    },
  );
});

describe("who may start it", () => {
  it.each(rows({ claude: "subtask", gencode: "subtask", qwen: "subtask", gemini: "subtask", copilot: "primary" }))(
    "comes back from %s as %s",
    (id, left) => {
      expect(back(id, { capabilities: ["primary"] }).capabilities).toEqual([left]);
    },
  );
});

describe("files, network and environment", () => {
  it.each(Object.keys(FORMATS) as Id[])("have no words on %s", (id) => {
    const policy = { fs: { read: ["src"], write: [] }, network: false, env: { allow: [] } };
    expect(back(id, { policy }).policy).toEqual({});
  });
});
