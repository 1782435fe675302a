// Where every program keeps its agents. Apart from the readers, so that looking whether there are any loads none.
import type { FormatId, FormatPlace } from "./format.ts";

type Of = FormatPlace["of"];

const folder = (of: Of, path: string, ...endings: string[]): FormatPlace => ({ of, path, endings });
const tree = (of: Of, path: string, ...endings: string[]): FormatPlace => ({ of, path, isRecursive: true, endings });
const file = (of: Of, path: string, ...endings: string[]): FormatPlace => ({ of, path, isFile: true, endings });

export const PLACES: Readonly<Record<FormatId, readonly FormatPlace[]>> = {
  gencode: [folder("project", ".gen/agents", ".md"), folder("user", ".gen/agents", ".md")],
  claude: [tree("project", ".claude/agents", ".md"), tree("user", ".claude/agents", ".md")],
  gemini: [
    folder("project", ".gemini/agents", ".md", ".toml"),
    folder("project", ".gemini/extensions", ".json"),
    folder("user", ".gemini/agents", ".md", ".toml"),
    folder("user", ".gemini/extensions", ".json"),
  ],
  glee: [folder("project", ".glee/agents", ".yml", ".yaml")],
  codex: [
    tree("project", ".codex/agents", ".toml"),
    file("project", ".codex/config.toml", ".toml"),
    tree("user", ".codex/agents", ".toml"),
    file("user", ".codex/config.toml", ".toml"),
  ],
  opencode: [
    tree("project", ".opencode/agents", ".md"),
    tree("project", ".opencode/agent", ".md"),
    file("project", ".opencode/opencode.json", ".json"),
    file("project", ".opencode/opencode.jsonc", ".jsonc"),
    file("project", "opencode.json", ".json"),
    file("project", "opencode.jsonc", ".jsonc"),
    tree("user", ".config/opencode/agents", ".md"),
    tree("user", ".config/opencode/agent", ".md"),
    file("user", ".config/opencode/opencode.json", ".json"),
    file("user", ".config/opencode/opencode.jsonc", ".jsonc"),
  ],
  qwen: [folder("project", ".qwen/agents", ".md"), folder("user", ".qwen/agents", ".md")],
  copilot: [
    folder("project", ".github/agents", ".agent.md", ".md"),
    folder("user", ".copilot/agents", ".agent.md", ".md"),
  ],
  cursor: [folder("project", ".cursor/agents", ".md"), folder("user", ".cursor/agents", ".md")],
  factory: [folder("project", ".factory/droids", ".md"), folder("user", ".factory/droids", ".md")],
  kiro: [tree("project", ".kiro/agents", ".md", ".json"), tree("user", ".kiro/agents", ".md", ".json")],
  goose: [
    folder("project", ".goose/agents", ".md"),
    folder("project", ".goose/recipes", ".yaml", ".yml", ".json"),
    folder("user", ".config/goose/agents", ".md"),
    folder("user", ".config/goose/recipes", ".yaml", ".yml", ".json"),
  ],
  roo: [file("project", ".roomodes", ".roomodes")],
  // The config first: what it says of an agent goes before what the agent's own file says.
  yeet: [file("user", ".config/yeet/config.json", ".json"), folder("user", ".config/yeet/agents", ".json")],
};
