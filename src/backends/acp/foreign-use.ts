// A call of a peer's own tool, as the policy sees it. A peer names a kind; what the call carries counts too, and of the
// two the wider effect holds: a "read" with a command in it is a command.
import type { ToolUse } from "../../ports/index.ts";
import { TOOL_EFFECTS, type ToolDialect, toolsCalled } from "../../domain/tool-names.ts";
import type { Effect } from "../../schema/index.ts";
import { lineOf, type ReadCommand, useOfLine } from "./command-lines.ts";
import type { ToolCallFacts } from "./messages.ts";
import type { PeerPlaces } from "./peer-places.ts";

export interface ForeignUse extends ToolUse {
  readonly tool: string;
}

interface Meant {
  readonly tool: string;
  readonly effect: Effect;
}

/** `switch_mode` is not among them: how a peer is held is not its own to say. */
const BY_KIND: Readonly<Record<string, Meant>> = {
  read: { tool: "Read", effect: "read" },
  search: { tool: "Grep", effect: "read" },
  edit: { tool: "Edit", effect: "write" },
  delete: { tool: "Edit", effect: "write" },
  move: { tool: "Edit", effect: "write" },
  execute: { tool: "Bash", effect: "exec" },
  fetch: { tool: "WebFetch", effect: "net" },
  think: { tool: "Think", effect: "none" },
};

/** What nobody can tell may do anything. */
const UNKNOWN: Meant = { tool: "Unknown", effect: "exec" };
const NOTHING: Meant = { tool: "", effect: "none" };

const WIDTH: Readonly<Record<Effect, number>> = { none: 0, read: 1, delegate: 2, net: 3, write: 4, exec: 5 };

export const SWITCH_MODE = "switch_mode";

export function meantBy(facts: ToolCallFacts, dialect: ToolDialect | undefined): Meant {
  const { kind, content, rawInput } = facts;
  const named = kind !== undefined && Object.hasOwn(BY_KIND, kind) ? BY_KIND[kind] : byName(facts, dialect);
  const found: Meant[] = [
    named ?? NOTHING,
    ...(commandIn(rawInput) === undefined ? [] : [{ tool: "Bash", effect: "exec" } as const]),
    ...((content ?? []).some(({ type }) => type === "diff") ? [{ tool: "Edit", effect: "write" } as const] : []),
  ];
  const widest = found.reduce((a, b) => (WIDTH[b.effect] > WIDTH[a.effect] ? b : a));
  return widest === NOTHING ? UNKNOWN : widest;
}

/** Some peers say no kind, and title a call by the name of its tool. */
function byName({ name, title }: ToolCallFacts, dialect: ToolDialect | undefined): Meant | undefined {
  const tools = dialect === undefined ? undefined : toolsCalled(dialect, name ?? title ?? "");
  const all = (tools ?? []).map((tool) => ({ tool, effect: TOOL_EFFECTS[tool] }));
  return all.length === 0 ? undefined : all.reduce((a, b) => (WIDTH[b.effect] > WIDTH[a.effect] ? b : a));
}

export interface UseParts {
  readonly places: PeerPlaces;
  /** Whose names the peer's tools have. */
  readonly dialect?: ToolDialect | undefined;
  readonly readCommand?: ReadCommand | undefined;
}

const MAX_PATHS = 20;

/** One use for each file that it touches: each has to be allowed. */
export async function usesOf(
  facts: ToolCallFacts,
  { places, dialect, readCommand: read }: UseParts,
): Promise<ForeignUse[]> {
  const { tool, effect } = meantBy(facts, dialect);
  switch (effect) {
    case "exec": {
      const line = commandIn(facts.rawInput);
      if (tool !== "Bash" || line === undefined) return [{ tool, effect, commands: null }];
      const folder = fieldsOf(facts.rawInput)["cwd"] ?? fieldsOf(facts.rawInput)["workdir"];
      const isPlain = typeof folder !== "string" || (await places.really(folder)) === ".";
      return [{ tool, ...useOfLine(line, places.root, isPlain, read) }];
    }
    case "net":
      return [{ tool, effect, host: hostIn(facts.rawInput) }];
    case "read":
    case "write": {
      const paths = await Promise.all(pathsIn(facts).map((path) => places.really(path)));
      const distinct = [...new Set(paths)];
      // Too many, or none: then it may touch any.
      if (distinct.length === 0 || distinct.length > MAX_PATHS) return [{ tool, effect }];
      return distinct.map((path) => ({ tool, effect, path }));
    }
    case "delegate":
    case "none":
      return [{ tool, effect }];
  }
}

export function commandIn(rawInput: unknown): string | undefined {
  const { command, cmd } = fieldsOf(rawInput);
  const found = command ?? cmd;
  if (typeof found === "string" && found.trim() !== "") return found;
  const isWords = Array.isArray(found) && found.length > 0 && found.every((word) => typeof word === "string");
  return isWords ? lineOf(found) : undefined;
}

function hostIn(rawInput: unknown): string | undefined {
  const { url } = fieldsOf(rawInput);
  return typeof url === "string" ? (URL.parse(url)?.hostname ?? undefined) : undefined;
}

const PATH_FIELDS = ["path", "file_path", "filePath", "absolute_path", "abs_path", "filename"] as const;

function pathsIn({ content, locations, rawInput }: ToolCallFacts): string[] {
  const fields = fieldsOf(rawInput);
  return [
    ...(locations ?? []).map(({ path }) => path),
    ...(content ?? []).flatMap((one) => (one.type === "diff" ? [one.path] : [])),
    ...PATH_FIELDS.map((name) => fields[name]).filter((path) => typeof path === "string"),
  ].filter((path) => path !== "" && !path.includes("\0"));
}

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? { ...value } : {};
