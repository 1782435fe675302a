// Which tools a Kiro agent has: names in JSON (2.x), tags for whole groups in Markdown (3.0).
import { matchesText } from "../../../domain/globs.ts";
import { toolsCalled } from "../../../domain/tool-names.ts";
import { PLAIN_TOOLS, type PlainTool } from "../per-tool/tool-right.ts";

const READING: readonly PlainTool[] = ["Read", "List", "Grep", "Glob"];

/** The names of our tools there, by which patterns such as `fs_*` find them. */
const NAMES: Readonly<Partial<Record<PlainTool, readonly string[]>>> = {
  Read: ["read", "fs_read"],
  List: ["read", "fs_read"],
  Grep: ["grep"],
  Glob: ["glob"],
  Edit: ["write", "fs_write"],
  Write: ["write", "fs_write"],
  Bash: ["shell", "execute_bash"],
  WebFetch: ["web_fetch", "web"],
  WebSearch: ["web_search", "web"],
  TodoWrite: ["todo_list"],
};

/** What Kiro has at all. */
export const KIRO_TOOLS: readonly PlainTool[] = PLAIN_TOOLS.filter((tool) => Object.hasOwn(NAMES, tool));

export interface KiroTools {
  readonly plain: ReadonlySet<PlainTool>;
  /** Rules for tools of MCP servers. */
  readonly mcp: readonly string[];
  readonly delegates: boolean;
  /** Without a tool here. */
  readonly unknown: readonly string[];
}

const ALL_MCP = "mcp__*__*";

export function kiroTools(words: readonly string[], hasTags: boolean): KiroTools {
  const plain = new Set<PlainTool>();
  const mcp: string[] = [];
  const unknown: string[] = [];
  let delegates = false;
  for (const word of words) {
    const server = /^@([A-Za-z0-9_-]+)(?:\/(.+))?$/.exec(word);
    if (word === "*" || word === "@builtin") for (const tool of KIRO_TOOLS) plain.add(tool);
    if (word === "*" || word === "@mcp") mcp.push(ALL_MCP);
    else if (server?.[1] !== undefined && word !== "@builtin") mcp.push(`mcp__${server[1]}__${server[2] ?? "*"}`);
    else if (hasTags && word === "read") for (const tool of READING) plain.add(tool);
    else if (word !== "@builtin") {
      const found = toolsCalled("kiro", word);
      if (found === undefined) unknown.push(word);
      else if (found.includes("Task")) delegates = true;
      for (const tool of KIRO_TOOLS) if (found?.includes(tool) === true) plain.add(tool);
    }
  }
  return { plain, mcp: [...new Set(mcp)], delegates, unknown };
}

/** Whether a list of names and patterns (`fs_*`, `@server/read_*`) holds a tool. */
export function isAmong(words: readonly string[], tool: PlainTool): boolean {
  const names = NAMES[tool] ?? [];
  return words.some(
    (word) =>
      word === "*" || word === "@builtin" || (!word.startsWith("@") && names.some((name) => matchesText(word, name))),
  );
}

/** The rules for MCP tools that a list holds. */
export const mcpAmong = (words: readonly string[]): readonly string[] => kiroTools(words, false).mcp;
