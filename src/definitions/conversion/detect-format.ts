// Whose file is it? By where it lies, else by what only one program writes.
import { basename } from "node:path";
import { type FormatId, FORMATS } from "../formats/format.ts";
import { PLACES } from "../formats/places.ts";

/** By its place alone: below `.claude/agents`, wherever that is. Undefined: it lies where no program looks. */
export function formatByPlace(path: string): { readonly id: FormatId; readonly below: string } | undefined {
  const way = `/${path.replaceAll("\\", "/").replace(/^\/+/, "")}`;
  const found = FORMATS.flatMap((id) =>
    PLACES[id].flatMap((place) => {
      const at = way.lastIndexOf(`/${place.path}${place.isFile === true ? "" : "/"}`);
      const isWhole = place.isFile !== true || way.endsWith(`/${place.path}`);
      const isKind = place.endings.some((ending) => way.endsWith(ending));
      if (at < 0 || !isWhole || !isKind) return [];
      const below = place.isFile === true ? basename(way) : way.slice(at + place.path.length + 2);
      return [{ id, below, length: place.path.length, at }];
    }),
  );
  const [best] = found.toSorted((a, b) => b.at - a.at || b.length - a.length);
  return best === undefined ? undefined : { id: best.id, below: best.below };
}

interface Sign {
  readonly id: FormatId;
  readonly endings: readonly string[];
  readonly says: RegExp;
}

const key = (...names: readonly string[]): RegExp => new RegExp(`^\\s*["']?(?:${names.join("|")})["']?\\s*[:=]`, "m");

/** Of each program, what the others do not write; the surer first. */
const SIGNS: readonly Sign[] = [
  { id: "copilot", endings: [".agent.md", ".chatmode.md"], says: /^/ },
  { id: "codex", endings: [".toml"], says: key("developer_instructions", "sandbox_mode", "model_reasoning_effort") },
  { id: "gemini", endings: [".toml"], says: key("system_prompt", "prompt", "description") },
  { id: "gemini", endings: [".json"], says: key("contextFileName") },
  { id: "roo", endings: [".roomodes", ".yaml", ".yml", ".json"], says: key("customModes") },
  { id: "kiro", endings: [".json"], says: key("allowedTools", "toolsSettings", "toolAliases", "resources") },
  { id: "opencode", endings: [".json", ".jsonc"], says: key("agent", "\\$schema") },
  { id: "yeet", endings: [".json"], says: key("capabilities", "capability", "allowWrites", "agents") },
  { id: "goose", endings: [".yaml", ".yml", ".json"], says: key("instructions", "extensions", "parameters") },
  { id: "glee", endings: [".yaml", ".yml"], says: key("prompt", "system_prompt") },
  { id: "gencode", endings: [".md"], says: key("permission-mode", "allowed-tools", "max-turns") },
  { id: "opencode", endings: [".md"], says: key("permission", "mode", "steps") },
  { id: "qwen", endings: [".md"], says: key("approvalMode", "runConfig", "modelConfig") },
  { id: "claude", endings: [".md"], says: key("permissionMode", "disallowedTools", "maxTurns", "isolation") },
  { id: "gemini", endings: [".md"], says: key("kind", "max_turns", "timeout_mins") },
  { id: "cursor", endings: [".md"], says: key("readonly", "is_background") },
  { id: "kiro", endings: [".md"], says: key("allowedTools", "toolsSettings", "includeMcpJson") },
  { id: "factory", endings: [".md"], says: key("reasoningEffort") },
  { id: "copilot", endings: [".md"], says: key("mcp-servers", "argument-hint", "handoffs", "target") },
  { id: "goose", endings: [".md"], says: key("extensions") },
  // The plain form, which most programs share, is Claude's.
  { id: "claude", endings: [".md"], says: key("name", "description") },
];

/** By what its settings say. Undefined: it could be anybody's. */
function formatByContent(path: string, text: string): FormatId | undefined {
  const head = path.endsWith(".md") ? settingsOf(text) : text.slice(0, MOST_LOOKED_AT);
  return SIGNS.find(({ endings, says }) => endings.some((ending) => path.endsWith(ending)) && says.test(head))?.id;
}

const MOST_LOOKED_AT = 64 * 1024;

/** A prompt may hold anything: only what stands between the lines of `---` counts. */
function settingsOf(text: string): string {
  const lines = text
    .slice(0, MOST_LOOKED_AT)
    .replace(/^\uFEFF/, "")
    .split(/\r?\n/);
  if (lines[0]?.trim() !== "---") return "";
  const end = lines.findIndex((line, index) => index > 0 && line.trim() === "---");
  return lines.slice(1, end < 0 ? undefined : end).join("\n");
}

export const detectFormat = (path: string, text: string): FormatId | undefined =>
  formatByPlace(path)?.id ?? formatByContent(path, text);
