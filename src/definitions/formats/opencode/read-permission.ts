import { matchesText } from "../../../domain/globs.ts";
import type { Json } from "../../../schema/index.ts";
import { type Expressed, expressRights, type GivenRight } from "../per-tool/express-rights.ts";
import { type Exception, isStricter, type PlainTool, stricterOf, type Verdict } from "../per-tool/tool-right.ts";
import { fileSpec } from "./file-patterns.ts";
import { isEverything, type PermissionRule, permissionRules, settle, type Settled } from "./permission-rules.ts";

/** opencode's permissions that stand for tools of ours. */
export const TOOLS_OF = {
  read: ["Read"],
  edit: ["Edit", "Write"],
  glob: ["Glob"],
  grep: ["Grep"],
  list: ["List"],
  bash: ["Bash"],
  webfetch: ["WebFetch"],
  websearch: ["WebSearch"],
  todowrite: ["TodoWrite"],
  question: ["AskUser"],
} as const satisfies Record<string, readonly PlainTool[]>;

/** Permissions that are no tools, or none that we have. */
export const NO_TOOLS: ReadonlySet<string> = new Set([
  "task",
  "external_directory",
  "doom_loop",
  "lsp",
  "skill",
  "todoread",
  "codesearch",
]);

export interface PermissionReading extends Expressed {
  readonly delegates: boolean;
}

export function readPermission(permission: Json | undefined, tools: Json | undefined): PermissionReading {
  const rules = permissionRules(permission, tools);
  const narrowed: string[] = [];
  const given = new Map<PlainTool, GivenRight>();
  for (const [key, ours] of Object.entries(TOOLS_OF)) {
    const right = rightFor(key, rules, narrowed);
    for (const tool of ours) given.set(tool, right);
  }
  const expressed = expressRights({ tools: given, others: othersRight(rules, narrowed) });
  const delegates = rules.some(({ key, action }) => key === "task" && action !== "deny");
  return { ...expressed, narrowed: [...new Set([...narrowed, ...expressed.narrowed])], delegates };
}

const rightFor = (key: string, rules: readonly PermissionRule[], narrowed: string[]): GivenRight =>
  inOurWords(settle(rules.filter((rule) => matchesText(rule.key, key))), narrowed, {
    nameOf: (pattern) => `${key}: ${pattern}`,
    specsOf: (pattern) => specFor(key, pattern),
  });

interface Words {
  /** For people. */
  readonly nameOf: (pattern: string) => string;
  /** Undefined where we have no such rule. */
  readonly specsOf: (pattern: string) => readonly string[] | undefined;
}

/** A restriction that cannot be said of a part is said of the whole, and nothing looser is left of it. */
function inOurWords(settled: Settled, narrowed: string[], { nameOf, specsOf }: Words): GivenRight {
  narrowed.push(...settled.overruled.map(nameOf));
  let limit: Verdict = "allow";
  const except: Exception[] = [];
  for (const { spec: pattern, verdict } of settled.except) {
    const specs = specsOf(pattern);
    if (specs === undefined) {
      narrowed.push(nameOf(pattern));
      limit = stricterOf(limit, verdict);
    }
    except.push(...(specs ?? []).map((spec) => ({ spec, verdict })));
  }
  return atMost(limit, { verdict: settled.verdict, except });
}

const atMost = (limit: Verdict, { verdict, except }: GivenRight): GivenRight =>
  limit === "allow"
    ? { verdict, except }
    : {
        verdict: stricterOf(verdict ?? "allow", limit),
        except: except.filter((one) => !isStricter(limit, one.verdict)),
      };

function specFor(key: string, pattern: string): readonly string[] | undefined {
  if (pattern.trim() === "") return undefined;
  if (key === "bash") return [pattern];
  const spec = key === "read" || key === "edit" ? fileSpec(pattern) : undefined;
  return spec === undefined ? undefined : [spec];
}

/** The tools of MCP servers go by `server_tool`. Their names are the patterns. */
function othersRight(rules: readonly PermissionRule[], narrowed: string[]): GivenRight {
  const others = rules.filter(({ key }) => !Object.hasOwn(TOOLS_OF, key) && !NO_TOOLS.has(key));
  const whole = others
    .filter(({ pattern }) => isEverything(pattern))
    .map(({ key, action }) => ({ pattern: key === EVERY_MCP_TOOL ? "*" : key, action }));
  const right = inOurWords(settle(whole), narrowed, { nameOf: (key) => key, specsOf: mcpNames });
  // A rule for a part of what such a tool can do holds for all that any of them can.
  const parts = others.filter(({ pattern, action }) => !isEverything(pattern) && action !== "allow");
  narrowed.push(...parts.map(({ key, pattern }) => `${key}: ${pattern}`));
  return atMost(
    parts.reduce<Verdict>((limit, { action }) => stricterOf(limit, action), "allow"),
    right,
  );
}

/** None of opencode's own tools has such a name. */
export const EVERY_MCP_TOOL = "*_*";

/**
 * `my_server_tool` may be the tool `tool` of `my_server` or `server_tool` of `my`: it names both. `my*` is for every
 * server whose name begins so.
 */
function mcpNames(key: string): readonly string[] | undefined {
  if (!/^[A-Za-z0-9-][A-Za-z0-9_-]*\*?$/.test(key)) return undefined;
  const parts = key.split("_");
  const names = parts.slice(1, MAX_PARTS).flatMap((_, index) => {
    const [server, tool] = [parts.slice(0, index + 1).join("_"), parts.slice(index + 1).join("_")];
    return tool === "" ? [] : [`mcp__${server}__${tool}`];
  });
  return key.endsWith("*") && !key.endsWith("_*") ? [...names, `mcp__${key}`] : names;
}

const MAX_PARTS = 9;
