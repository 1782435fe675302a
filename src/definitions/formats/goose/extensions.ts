// A recipe has the tools of its extensions: Goose's own, or MCP servers. `available_tools` narrows one of them.
import { DELEGATION_TOOLS, toolsCalled } from "../../../domain/tool-names.ts";
import type { Json, JsonObject } from "../../../schema/index.ts";
import { isObject } from "../lenient/json-value.ts";

export interface ExtensionTools {
  readonly tools: readonly string[];
  /** Tools that we do not have, and those that delegate. */
  readonly dropped: readonly string[];
}

/** Whoever has a shell can read, list and search by it. */
const WITH_SHELL = ["Bash", "Read", "Glob", "Grep", "List"];

/** What the tools of Goose's own extensions are here, where all of them are available. */
const OWN: Readonly<Record<string, readonly string[]>> = {
  developer: [...WITH_SHELL, "Write", "Edit"],
  todo: ["TodoWrite"],
  analyze: ["Read"],
};

/** Undefined where the recipe names no extensions: then it has those of whoever runs it. */
export function extensionTools(extensions: Json | undefined): ExtensionTools | undefined {
  if (extensions === undefined) return undefined;
  const tools: string[] = [];
  const dropped: string[] = [];
  const servers = new Set<string>();
  for (const one of Array.isArray(extensions) ? extensions : []) {
    if (!isObject(one) || typeof one["name"] !== "string") continue;
    const names = namesIn(one["available_tools"]);
    const isOwn = one["type"] === "builtin" || one["type"] === "platform";
    // Of two servers with one name the first is used: what the other offers must not be asked of it.
    if (!isOwn && servers.has(one["name"])) continue;
    if (!isOwn) servers.add(one["name"]);
    for (const tool of isOwn ? ownTools(one["name"], names) : mcpTools(one["name"], names)) {
      (tool === undefined || DELEGATION_TOOLS.has(tool) ? dropped : tools).push(tool ?? one["name"]);
    }
  }
  return { tools: [...new Set(tools)], dropped: [...new Set(dropped)] };
}

/** Undefined: all of them, which in Goose is what an empty list says, too. */
function namesIn(available: Json | undefined): string[] | undefined {
  if (available === undefined || available === null) return undefined;
  if (!Array.isArray(available)) return [];
  return available.length === 0 ? undefined : available.filter((name) => typeof name === "string");
}

function ownTools(extension: string, names: readonly string[] | undefined): readonly (string | undefined)[] {
  if (names === undefined) return Object.hasOwn(OWN, extension) ? (OWN[extension] ?? []) : [undefined];
  return names.flatMap((name): readonly (string | undefined)[] => {
    const tools = toolsCalled("goose", name) ?? toolsCalled("goose", `${extension}__${name}`);
    if (tools === undefined) return [undefined];
    return tools.includes("Bash") ? WITH_SHELL : tools;
  });
}

const mcpTools = (server: string, names: readonly string[] | undefined): string[] =>
  /^[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*$/.test(server) ? (names ?? ["*"]).map((name) => `mcp__${server}__${name}`) : [];

/** The extensions for a list of ours; what Goose has no tool for is left out. */
export function writeExtensions(given: readonly string[]): JsonObject[] {
  const own = [
    ...(WITH_SHELL.every((tool) => given.includes(tool)) ? ["shell"] : []),
    ...(given.includes("Write") ? ["write"] : []),
    ...(given.includes("Edit") ? ["edit"] : []),
    ...(given.includes("List") && given.includes("Glob") ? ["tree"] : []),
  ];
  return [
    ...(own.length === 0 ? [] : [{ type: "builtin", name: "developer", available_tools: own }]),
    ...(given.includes("TodoWrite") ? [{ type: "platform", name: "todo" }] : []),
  ];
}
