// A key that a format's own program does not know is kept, and is a warning. One that it knows never is.
import { describe, expect, it } from "vitest";
import { type FormatId, warningsIn } from "../../../src/definitions/formats/format.ts";
import { loadFormat } from "../../../src/definitions/formats/index.ts";

const front = (settings: string) => `---\n${settings}---\nLook.\n`;
const flow = (keys: string) =>
  keys
    .split(" ")
    .map((key) => `${key}: {}\n`)
    .join("");
const NAMED = "name: a\ndescription: d\n";

interface Case {
  readonly id: FormatId;
  readonly below: string;
  readonly text: (more: Readonly<Record<string, unknown>>) => string;
  /** Beside those that every agent has, all that the program's documents name. */
  readonly known: string;
}

const asYaml = (more: Readonly<Record<string, unknown>>, first = NAMED) =>
  `${first}${Object.entries(more)
    .map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`)
    .join("")}`;
const markdown = (id: FormatId, known: string, below = "a.md"): Case => ({
  id,
  below,
  known,
  text: (more) => front(asYaml(more)),
});
const json = (id: FormatId, known: string, first: object, below = "a.json"): Case => ({
  id,
  below,
  known,
  text: (more) => JSON.stringify({ ...first, ...more }),
});

const CASES: readonly Case[] = [
  markdown("gencode", "model permission-mode max-turns tools"),
  markdown(
    "claude",
    "tools disallowedTools model permissionMode maxTurns skills mcpServers hooks memory background effort isolation color initialPrompt",
  ),
  markdown("gemini", "kind display_name tools mcpServers mcp_servers model temperature max_turns timeout_mins"),
  json("gemini", "version contextFileName description excludeTools mcpServers settings", { name: "a", prompt: "p" }),
  {
    id: "gemini",
    below: "a.toml",
    known: "",
    text: (more) =>
      `name = "a"\ndescription = "d"\n${Object.keys(more)
        .map((key) => `${key} = 1\n`)
        .join("")}[prompts]\nsystem_prompt = "p"\nquery = "q"\n[model]\ntemperature = 1\n[run]\nmax_turns = 3\n`,
  },
  {
    id: "glee",
    below: "a.yml",
    known: "agent source timeout_mins max_output_kb tools",
    text: (more) => asYaml(more, `${NAMED}prompt: p\n`),
  },
  {
    id: "codex",
    below: "a.toml",
    known:
      "nickname_candidates model model_reasoning_effort model_reasoning_summary model_verbosity personality service_tier sandbox_mode approval_policy model_provider base_url notify model_context_window web_search",
    text: (more) =>
      `name = "a"\ndescription = "d"\ndeveloper_instructions = "p"\n${Object.keys(more)
        .map((key) => `${key} = "x"\n`)
        .join("")}`,
  },
  markdown(
    "qwen",
    "model approvalMode tools disallowedTools background color permissionMode maxTurns runConfig mcpServers hooks effort skills initialPrompt memory isolation",
  ),
  markdown(
    "copilot",
    "target tools model models modelPolicy reasoningEffort include-custom-instructions disable-model-invocation user-invocable infer mcp-servers metadata sidekick argument-hint agents handoffs",
    "a.agent.md",
  ),
  markdown("cursor", "model readonly is_background"),
  markdown("factory", "model reasoningEffort tools mcpServers"),
  markdown("kiro", "model tools mcpServers resources permissions"),
  json(
    "kiro",
    "description mcpServers tools toolAliases allowedTools toolsSettings resources hooks includeMcpJson model keyboardShortcut welcomeMessage",
    { name: "a", prompt: "p" },
  ),
  markdown("goose", "model"),
  {
    id: "goose",
    below: "a.yaml",
    known: "version prompt parameters extensions settings response retry sub_recipes activities",
    text: (more) => asYaml(more, "title: t\ndescription: d\ninstructions: i\n"),
  },
  {
    id: "roo",
    below: ".roomodes",
    known: "name whenToUse description customInstructions groups source allowedMcpServers",
    text: (more) => JSON.stringify({ customModes: [{ slug: "a", roleDefinition: "r", ...more }] }),
  },
];

async function warnings({ id, below, text }: Case, more: Readonly<Record<string, unknown>>) {
  const [reading] = (await loadFormat(id)).read({ path: below, below, text: text(more) });
  if (reading?.ok !== true) throw new Error(`${id}: ${reading?.problem ?? "no agent"}`);
  return { said: warningsIn(reading.remarks), aside: reading.definition.x[id] };
}

describe.each(CASES)("$id, $below", (one) => {
  it("warns of a key that nobody knows, and keeps it", async () => {
    const { said, aside } = await warnings(one, { bogus: 3 });
    expect(said).toEqual(['unknown key "bogus"']);
    expect(JSON.stringify(aside)).toContain('"bogus"');
  });

  it("does not warn of what the program's documents name", async () => {
    const known = one.known === "" ? {} : Object.fromEntries(one.known.split(" ").map((key) => [key, null]));
    expect((await warnings(one, known)).said).toEqual([]);
    const values = Object.fromEntries(Object.keys(known).map((key) => [key, "x"]));
    expect((await warnings(one, values)).said).toEqual([]);
  });
});

it("guesses what was meant", async () => {
  const gemini = CASES.find(({ id }) => id === "gemini");
  if (gemini === undefined) throw new Error("there is no case");
  expect((await warnings(gemini, { max_turn: 3 })).said).toEqual(['unknown key "max_turn"; did you mean "max_turns"?']);
});

it("says in which table of Gemini's older form it stands", async () => {
  const text = 'name = "a"\ndescription = "d"\n[prompts]\nsystem_prompt = "p"\n[run]\nmax_turn = 3\n';
  const [reading] = (await loadFormat("gemini")).read({ path: "a.toml", below: "a.toml", text });
  expect(reading?.ok === true && warningsIn(reading.remarks)).toEqual([
    'unknown key "run.max_turn"; did you mean "run.max_turns"?',
  ]);
});

it("says of very many that there are more", async () => {
  const keys = flow(Array.from({ length: 40 }, (_, index) => `k${index}`).join(" "));
  const [reading] = (await loadFormat("claude")).read({ path: "a.md", below: "a.md", text: front(`${NAMED}${keys}`) });
  const said = reading?.ok === true ? warningsIn(reading.remarks) : [];
  expect(said).toHaveLength(31);
  expect(said.at(-1)).toBe("and 10 more");
});

it.each([
  ["opencode", front(`${NAMED}reasoningEffort: high\n`), "a.md"],
  ["yeet", '{"description": "d", "prompt": "p", "slash": "/a"}', "a.json"],
] as const)("%s passes on what it does not know, or has no list: nothing is unknown", async (id, text, below) => {
  const [reading] = (await loadFormat(id)).read({ path: below, below, text });
  expect(reading?.ok === true && warningsIn(reading.remarks)).toEqual([]);
});
