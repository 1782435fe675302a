// MCP servers in other programs' files: read into ours, and written back as they stood.
import { describe, expect, it } from "vitest";
import { claude } from "../../../src/definitions/formats/claude.ts";
import type { Format } from "../../../src/definitions/formats/format.ts";
import { gemini } from "../../../src/definitions/formats/gemini/gemini.ts";
import { qwen } from "../../../src/definitions/formats/qwen.ts";
import type { AgentDefinition } from "../../../src/schema/index.ts";

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
