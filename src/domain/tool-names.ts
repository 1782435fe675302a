// One set of names for tools, and what every other program calls them. A name of theirs may stand for several of
// ours (Copilot's `edit` writes too); one of ours may have no name there.

import type { Effect } from "../schema/index.ts";

/** Tools of our own loop, by the names that a model sees. */
export const TOOLS = [
  "Read",
  "Write",
  "Edit",
  "Glob",
  "Grep",
  "List",
  "Bash",
  "WebFetch",
  "WebSearch",
  "HttpRequest",
  "TodoWrite",
  "AskUser",
  "MemorySearch",
  "MemoryAdd",
  "AgentCreate",
  "ToolCreate",
  "Task",
  "TaskOutput",
  "TaskStop",
] as const;
export type ToolName = (typeof TOOLS)[number];

/** The widest that each can do. */
export const TOOL_EFFECTS: Readonly<Record<ToolName, Effect>> = {
  Read: "read",
  Write: "write",
  Edit: "write",
  Glob: "read",
  Grep: "read",
  List: "read",
  Bash: "exec",
  WebFetch: "net",
  WebSearch: "net",
  HttpRequest: "net",
  TodoWrite: "none",
  AskUser: "none",
  MemorySearch: "none",
  MemoryAdd: "none",
  AgentCreate: "none",
  ToolCreate: "none",
  Task: "delegate",
  TaskOutput: "none",
  TaskStop: "none",
};

/** Never given by `*`, by omission or by inheritance: only where our own definition names them. */
export const DELEGATION_TOOLS: ReadonlySet<string> = new Set(["Task", "TaskOutput", "TaskStop"]);

/** Whose names these are. */
export type ToolDialect =
  | "cadre"
  | "claude"
  | "gencode"
  | "gemini"
  | "glee"
  | "codex"
  | "opencode"
  | "qwen"
  | "copilot"
  | "cursor"
  | "factory"
  | "kiro"
  | "goose"
  | "roo"
  | "yeet";

type Names = Readonly<Record<string, readonly ToolName[]>>;

const CLAUDE: Names = {
  Read: ["Read"],
  NotebookRead: ["Read"],
  Write: ["Write"],
  Edit: ["Edit"],
  MultiEdit: ["Edit"],
  Glob: ["Glob"],
  Grep: ["Grep"],
  LS: ["List"],
  Bash: ["Bash"],
  WebFetch: ["WebFetch"],
  WebSearch: ["WebSearch"],
  TodoWrite: ["TodoWrite"],
  TaskCreate: ["TodoWrite"],
  TaskUpdate: ["TodoWrite"],
  TaskList: ["TodoWrite"],
  TaskGet: ["TodoWrite"],
  AskUserQuestion: ["AskUser"],
  Task: ["Task"],
  Agent: ["Task"],
  TaskOutput: ["TaskOutput"],
  TaskStop: ["TaskStop"],
};

const GEMINI: Names = {
  read_file: ["Read"],
  read_many_files: ["Read"],
  write_file: ["Write"],
  replace: ["Edit"],
  glob: ["Glob"],
  grep_search: ["Grep"],
  search_file_content: ["Grep"],
  grep: ["Grep"],
  list_directory: ["List"],
  ls: ["List"],
  run_shell_command: ["Bash"],
  web_fetch: ["WebFetch"],
  google_web_search: ["WebSearch"],
  web_search: ["WebSearch"],
  write_todos: ["TodoWrite"],
  ask_user: ["AskUser"],
  save_memory: ["MemoryAdd"],
  invoke_agent: ["Task"],
  delegate_to_agent: ["Task"],
};

/** The first name of each tool is the one that is written; the others are only read. */
const NAMES: Readonly<Record<ToolDialect, Names>> = {
  cadre: { ...Object.fromEntries(TOOLS.map((name) => [name, [name]])), ask_user: ["AskUser"] },
  claude: CLAUDE,
  gencode: CLAUDE,
  gemini: GEMINI,
  glee: GEMINI,
  codex: {
    exec_command: ["Bash"],
    shell: ["Bash"],
    apply_patch: ["Edit", "Write"],
    view_image: ["Read"],
    web_search: ["WebSearch"],
    update_plan: ["TodoWrite"],
    spawn_agent: ["Task"],
    wait_agent: ["TaskOutput"],
    close_agent: ["TaskStop"],
  },
  opencode: {
    read: ["Read"],
    edit: ["Edit", "Write"],
    write: ["Write"],
    patch: ["Edit", "Write"],
    apply_patch: ["Edit", "Write"],
    glob: ["Glob"],
    grep: ["Grep"],
    list: ["List"],
    bash: ["Bash"],
    webfetch: ["WebFetch"],
    websearch: ["WebSearch"],
    todowrite: ["TodoWrite"],
    question: ["AskUser"],
    task: ["Task"],
  },
  qwen: {
    read_file: ["Read"],
    ReadFile: ["Read"],
    write_file: ["Write"],
    WriteFile: ["Write"],
    edit: ["Edit"],
    Edit: ["Edit"],
    glob: ["Glob"],
    Glob: ["Glob"],
    grep_search: ["Grep"],
    Grep: ["Grep"],
    list_directory: ["List"],
    ListFiles: ["List"],
    run_shell_command: ["Bash"],
    Shell: ["Bash"],
    web_fetch: ["WebFetch"],
    WebFetch: ["WebFetch"],
    web_search: ["WebSearch"],
    WebSearch: ["WebSearch"],
    todo_write: ["TodoWrite"],
    TodoList: ["TodoWrite"],
    agent: ["Task"],
    task: ["Task"],
    task_stop: ["TaskStop"],
  },
  copilot: {
    read: ["Read", "List"],
    view: ["Read"],
    NotebookRead: ["Read"],
    edit: ["Edit", "Write"],
    MultiEdit: ["Edit", "Write"],
    Write: ["Edit", "Write"],
    create: ["Write"],
    search: ["Grep", "Glob"],
    Grep: ["Grep"],
    grep: ["Grep"],
    Glob: ["Glob"],
    glob: ["Glob"],
    execute: ["Bash"],
    shell: ["Bash"],
    Bash: ["Bash"],
    bash: ["Bash"],
    powershell: ["Bash"],
    web: ["WebFetch", "WebSearch"],
    WebFetch: ["WebFetch"],
    web_fetch: ["WebFetch"],
    WebSearch: ["WebSearch"],
    web_search: ["WebSearch"],
    todo: ["TodoWrite"],
    TodoWrite: ["TodoWrite"],
    agent: ["Task"],
    "custom-agent": ["Task"],
    Task: ["Task"],
    // VS Code has finer names, in sets.
    "read/readFile": ["Read"],
    "search/textSearch": ["Grep"],
    "search/fileSearch": ["Glob"],
    "search/listDirectory": ["List"],
    "search/codebase": ["Grep", "Glob"],
    codebase: ["Grep", "Glob"],
    "edit/editFiles": ["Edit"],
    editFiles: ["Edit"],
    "edit/createFile": ["Write"],
    "execute/runInTerminal": ["Bash"],
    runInTerminal: ["Bash"],
    runCommands: ["Bash"],
    "web/fetch": ["WebFetch"],
    fetch: ["WebFetch"],
    todos: ["TodoWrite"],
    "agent/runSubagent": ["Task"],
    runSubagent: ["Task"],
  },
  cursor: {},
  factory: {
    Read: ["Read"],
    Create: ["Write"],
    Edit: ["Edit"],
    MultiEdit: ["Edit"],
    ApplyPatch: ["Edit", "Write"],
    Glob: ["Glob"],
    Grep: ["Grep"],
    LS: ["List"],
    Execute: ["Bash"],
    FetchUrl: ["WebFetch"],
    WebSearch: ["WebSearch"],
    TodoWrite: ["TodoWrite"],
    Task: ["Task"],
    TaskOutput: ["TaskOutput"],
    TaskStop: ["TaskStop"],
  },
  kiro: {
    read: ["Read", "List"],
    fs_read: ["Read", "List"],
    write: ["Write", "Edit"],
    fs_write: ["Write", "Edit"],
    shell: ["Bash"],
    execute_bash: ["Bash"],
    grep: ["Grep"],
    glob: ["Glob"],
    web: ["WebFetch", "WebSearch"],
    web_fetch: ["WebFetch"],
    web_search: ["WebSearch"],
    todo_list: ["TodoWrite"],
    subagent: ["Task"],
    use_subagent: ["Task"],
  },
  goose: {
    read: ["Read"],
    shell: ["Bash"],
    write: ["Write"],
    edit: ["Edit"],
    text_editor: ["Read", "Edit", "Write"],
    tree: ["List", "Glob"],
    analyze: ["Read"],
    todo__todo_write: ["TodoWrite"],
    delegate: ["Task"],
  },
  roo: {
    read_file: ["Read"],
    write_to_file: ["Write"],
    apply_diff: ["Edit"],
    list_files: ["List", "Glob"],
    search_files: ["Grep"],
    execute_command: ["Bash"],
    update_todo_list: ["TodoWrite"],
    ask_followup_question: ["AskUser"],
    new_task: ["Task"],
  },
  yeet: {
    read: ["Read"],
    write: ["Write"],
    edit: ["Edit"],
    glob: ["Glob"],
    grep: ["Grep"],
    ls: ["List"],
    bash: ["Bash"],
    webfetch: ["WebFetch"],
    websearch: ["WebSearch"],
    spawn_subagent: ["Task"],
    request_review: ["Task"],
  },
};

/** Found without regard to case: files spell names as they please. */
const byLowerCase = new Map(
  Object.entries(NAMES).map(([dialect, names]) => [
    dialect,
    new Map(Object.entries(names).map(([name, tools]) => [name.toLowerCase(), tools])),
  ]),
);

/** Ours, for a name of theirs; undefined where we do not know it. MCP names and rules are not looked at here. */
export const toolsCalled = (dialect: ToolDialect, name: string): readonly ToolName[] | undefined =>
  byLowerCase.get(dialect)?.get(name.toLowerCase());

/** Theirs, for one of ours: the narrowest that holds it, then the first. Undefined where they have none. */
export function nameIn(dialect: ToolDialect, tool: string): string | undefined {
  const holding = Object.entries(NAMES[dialect]).filter(([, tools]) => tools.some((one) => one === tool));
  return holding.toSorted(([, a], [, b]) => a.length - b.length)[0]?.[0];
}

/**
 * Theirs, for each of a list of ours: names that together give nothing but what the list holds, broad ones first. A
 * tool that they have only together with another one, which the list does not hold, gets no name.
 */
export function namesWithin(dialect: ToolDialect, allowed: readonly string[]): ReadonlyMap<string, string> {
  const wanted = new Set(allowed);
  const fitting = Object.entries(NAMES[dialect])
    .filter(([, tools]) => tools.every((tool) => wanted.has(tool)))
    .toSorted(([, a], [, b]) => b.length - a.length);
  const chosen = new Map<string, string>();
  for (const [name, tools] of fitting) for (const tool of tools) chosen.set(tool, chosen.get(tool) ?? name);
  return chosen;
}

/** How the name of an MCP tool is written; ours is `mcp__server__tool`, and `*` stands for any tool or server. */
export interface McpName {
  readonly server: string;
  readonly tool: string;
}

const MCP_FORM = {
  double: {
    read: /^mcp__([A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*|\*)(?:__(.+))?$/,
    write: (s: string, t: string) => `mcp__${s}__${t}`,
  },
  single: {
    read: /^mcp_([A-Za-z0-9-]+|\*)(?:_(.+))?$/,
    write: (s: string, t: string) => (s !== "*" ? `mcp_${s}_${t}` : t === "*" ? "mcp_*" : undefined),
  },
  // The sets of VS Code's own tools look like servers.
  slash: {
    read: /^(?!(?:agent|edit|execute|read|search|todo|vscode|web)\/)([A-Za-z0-9_.-]+)\/(.+)$/,
    write: (s: string, t: string) => `${s}/${t}`,
  },
  at: { read: /^@([A-Za-z0-9_-]+)(?:\/(.+))?$/, write: (s: string, t: string) => `@${s}/${t}` },
  bare: { read: /^([A-Za-z0-9-]+)_(.+)$/, write: (s: string, t: string) => `${s}_${t}` },
  ext: { read: /^([A-Za-z0-9-]+)__(.+)$/, write: (s: string, t: string) => `${s}__${t}` },
} as const;

const MCP_IN: Readonly<Record<ToolDialect, keyof typeof MCP_FORM | null>> = {
  cadre: "double",
  claude: "double",
  gencode: "double",
  codex: "double",
  qwen: "double",
  factory: "double",
  gemini: "single",
  glee: "single",
  opencode: "bare",
  copilot: "slash",
  kiro: "at",
  goose: "ext",
  cursor: null,
  roo: null,
  yeet: null,
};

export function readMcpName(dialect: ToolDialect, name: string): McpName | undefined {
  const form = MCP_IN[dialect];
  const found = form === null ? null : MCP_FORM[form].read.exec(name);
  return found?.[1] === undefined ? undefined : { server: found[1], tool: found[2] ?? "*" };
}

export function writeMcpName(dialect: ToolDialect, { server, tool }: McpName): string | undefined {
  const form = MCP_IN[dialect];
  return form === null ? undefined : MCP_FORM[form].write(server, tool);
}
