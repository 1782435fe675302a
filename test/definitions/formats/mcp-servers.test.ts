// MCP servers in other programs' files: read into ours, and written back as they stood.
import { describe, expect, it } from "vitest";
import { claude } from "../../../src/definitions/formats/claude.ts";
import type { Format } from "../../../src/definitions/formats/format.ts";
import { gemini } from "../../../src/definitions/formats/gemini/gemini.ts";
import { goose } from "../../../src/definitions/formats/goose/goose.ts";
import { kiro } from "../../../src/definitions/formats/kiro/kiro.ts";
import { qwen } from "../../../src/definitions/formats/qwen.ts";
import type { AgentDefinition } from "../../../src/schema/index.ts";
import { agentIn, backFrom, define } from "./foreign.ts";

function read(format: Format, settings: string): AgentDefinition {
  const [reading] = format.read({
    path: "a.md",
    below: "a.md",
    text: `---\nname: a\ndescription: d\n${settings}\n---\nBody\n`,
  });
  if (reading?.ok !== true) throw new Error(reading?.problem);
  return reading.definition;
}

const again = (format: Format, definition: AgentDefinition): AgentDefinition => {
  const [reading] = format.read({ path: "a.md", below: "a.md", text: format.write?.(definition).text ?? "" });
  if (reading?.ok !== true) throw new Error(reading?.problem);
  return reading.definition;
};

const program = (more = "") =>
  `{command: npx, args: [-y, x@1.2.3], env: {TOKEN: "\${GH_TOKEN}", MODE: "$MODE"}${more}}`;

describe("servers of another program", () => {
  it.each([
    ["claude", claude, "mcpServers"],
    ["qwen", qwen, "mcpServers"],
    ["gemini", gemini, "mcp_servers"],
    ["gemini", gemini, "mcpServers"],
  ] as const)("%s: by name, with variables as secrets, and back", (_, format, key) => {
    const definition = read(
      format,
      `${key}: {gh: ${program(", type: stdio")}, web: {type: http, url: "https://x.example/", headers: {A: "Bearer \${T}"}}}`,
    );
    expect(definition.mcp_servers).toMatchObject({
      gh: { command: "npx", args: ["-y", "x@1.2.3"], env: { TOKEN: "{{secret:GH_TOKEN}}", MODE: "{{secret:MODE}}" } },
      web: { url: "https://x.example/", headers: { A: "Bearer {{secret:T}}" } },
    });
    expect(again(format, definition)).toEqual(definition);
    const changed = { ...definition, mcp_servers: ["other"] };
    expect(again(format, changed).mcp_servers).toEqual(["other"]);
  });

  it.each([
    ["an option that may restrict it", `{gh: ${program(", includeTools: [a]")}}`],
    ["a form that is not spoken here", '{gh: {type: sse, url: "https://x.example/"}}'],
    ["no https", '{gh: {url: "http://x.example/"}}'],
    ["one that is switched off", `{gh: ${program(", disabled: true")}}`],
    ["a name that would mean two things", `{a__b: ${program()}}`],
  ])("are left out, and kept: %s", (_, servers) => {
    const definition = read(claude, `mcpServers: ${servers}`);
    expect(definition.mcp_servers).toBeUndefined();
    expect(definition.x["claude"]).toHaveProperty("mcpServers");
    expect(again(claude, definition)).toEqual(definition);
  });
});

const GH = { command: "npx", args: ["-y", "x"], env: { MODE: "fast" } };

describe("servers of an agent of Kiro", () => {
  const file = (servers: object) =>
    JSON.stringify({ name: "a", description: "d", prompt: "p", tools: ["@gh"], mcpServers: servers });

  it.each([
    ["JSON", (servers: object) => agentIn(kiro, file(servers), "a.json")],
    [
      "Markdown",
      (servers: object) =>
        agentIn(kiro, `---\ndescription: d\ntools: ["@gh"]\nmcpServers: ${JSON.stringify(servers)}\n---\np\n`, "a.md"),
    ],
  ])("are read from %s, and back", (_, kiroAgent) => {
    const { definition, said } = kiroAgent({ gh: { ...GH, env: { T: "${TOKEN}" }, autoApprove: ["*"], timeout: 60 } });
    expect(definition.mcp_servers).toMatchObject({ gh: { command: "npx", env: { T: "{{secret:TOKEN}}" } } });
    expect(said).toContain("mapped mcpServers");
    expect(backFrom(kiro, definition).definition).toEqual(definition);
  });

  it("with tools of them switched off are left out, and said to be", () => {
    const { definition, said } = agentIn(kiro, file({ gh: { ...GH, disabledTools: ["delete"] } }), "a.json");
    expect(definition.mcp_servers).toBeUndefined();
    expect(said).toContain("kept mcpServers");
  });

  it("are written as a map, without those that only the user's settings hold", () => {
    const { definition } = backFrom(
      kiro,
      define({ tools: ["Read", "mcp__gh__*"], mcp_servers: ["other", { gh: GH }] }),
    );
    expect(definition.mcp_servers).toMatchObject({ gh: GH });
    expect(definition.mcp_servers).not.toHaveProperty("other");
  });
});

describe("servers of a recipe of Goose", () => {
  const recipe = (extensions: string) =>
    agentIn(goose, `version: 1.0.0\ntitle: t\ndescription: d\ninstructions: i\nextensions:\n${extensions}\n`, "a.yaml");

  it("are programs and addresses, with the variables that Goose would ask for", () => {
    const { definition, said } = recipe(
      "  - {type: stdio, name: gh, cmd: npx, args: [-y, x], envs: {MODE: fast}, env_keys: [TOKEN], timeout: 30, available_tools: [search]}\n" +
        "  - {type: streamable_http, name: web, uri: 'https://x.example/mcp', timeout: 5}",
    );
    expect(definition.mcp_servers).toMatchObject({
      gh: { command: "npx", args: ["-y", "x"], env: { MODE: "fast", TOKEN: "{{secret:TOKEN}}" }, timeout_ms: 30_000 },
      web: { url: "https://x.example/mcp", timeout_ms: 5000 },
    });
    expect(definition.tools).toEqual(["mcp__gh__search", "mcp__web__*"]);
    expect(said).toContain("mapped extensions");
    expect(backFrom(goose, definition).definition).toEqual(definition);
    const changed = { ...definition, tools: ["mcp__gh__search", "mcp__gh__read"] };
    expect(backFrom(goose, changed).definition).toMatchObject({
      tools: changed.tools,
      mcp_servers: { gh: { env: { MODE: "fast", TOKEN: "{{secret:TOKEN}}" }, timeout_ms: 30_000 } },
    });
  });

  it.each([
    ["a form that is not spoken here", "{type: sse, name: gh, uri: 'https://x.example/'}"],
    ["code in the recipe", "{type: inline_python, name: gh, code: 'print()'}"],
    ["a name that rules cannot hold", "{type: stdio, name: Git Hub, cmd: x}"],
    ["an option that nobody knows", "{type: stdio, name: gh, cmd: x, only: [a]}"],
  ])("are left out, and said to be: %s", (_, extension) => {
    const { definition, said } = recipe(`  - ${extension}`);
    expect(definition.mcp_servers).toBeUndefined();
    expect(said).toContain("kept extensions");
  });

  it.each([
    ["read only", { permission_mode: "plan" }],
    ["denied one of its tools", { tools: { mode: "denylist", deny: ["mcp__gh__delete"] } }],
    ["allowed other tools only", { tools: ["Read"] }],
    ["asked for a variable by another name", { mcp_servers: { gh: { ...GH, env: { A: "{{secret:B}}" } } } }],
  ])("are not given to an agent that is %s", (_, fields) => {
    expect(goose.write?.(define({ mcp_servers: { gh: GH }, ...fields })).text).not.toContain("npx");
  });

  it("are given to an agent with every tool", () => {
    const { definition } = backFrom(goose, define({ mcp_servers: { gh: GH }, workspace: { allow_writes: true } }));
    expect(definition).toMatchObject({
      mcp_servers: { gh: GH },
      tools: expect.arrayContaining(["Bash", "Write", "mcp__gh__*"]),
    });
  });
});
