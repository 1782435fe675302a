import type { PermissionMode, ToolList, WorkspaceBinding } from "../../../schema/index.ts";
import { workspaceFor } from "../lenient/rights.ts";
import { type Exception, isWriting, type PlainTool, type Verdict, wordOfMode } from "./tool-right.ts";

/** As a file says it; an undefined verdict is one that the file leaves open, which its program then allows. */
export interface GivenRight {
  readonly verdict: Verdict | undefined;
  readonly except: readonly Exception[];
}

export interface GivenRights {
  readonly tools: ReadonlyMap<PlainTool, GivenRight>;
  /** Tools of MCP servers. */
  readonly others: GivenRight;
}

export interface Expressed {
  readonly tools: ToolList | undefined;
  readonly permission_mode: PermissionMode;
  readonly workspace: WorkspaceBinding;
  /** What that program does unasked, and is asked or denied here. */
  readonly narrowed: readonly string[];
}

const EVERY_MCP_TOOL = "mcp__*__*";
const SILENT: GivenRight = { verdict: undefined, except: [] };
const EDIT = ["Edit", "Write"] as const;
const NET = ["WebFetch", "WebSearch"] as const;

/** Never more than what is given: where our words are too coarse, the stricter one is taken. */
export function expressRights(given: GivenRights): Expressed {
  const mode = chooseMode(given);
  const found: Found = { whole: [], denied: [], allow: [], ask: [], deny: [], narrowed: [], isPartial: false };
  for (const [tool, right] of given.tools) {
    sort(found, tool, right, wordOfMode(mode, tool), (spec) => `${tool}(${spec})`);
  }
  sort(found, EVERY_MCP_TOOL, given.others, wordOfMode(mode, "Bash"), (spec) => spec);
  const tools = toList(found, given.others.verdict === "deny");
  return { tools, permission_mode: mode, workspace: workspaceFor(tools, mode), narrowed: found.narrowed };
}

interface Found {
  /** Tools that may be used, at least when asked. */
  readonly whole: string[];
  readonly denied: string[];
  readonly allow: string[];
  readonly ask: string[];
  readonly deny: string[];
  readonly narrowed: string[];
  /** Whether some tool is denied but for a few uses: a deny would outrank these, so only an allow list can say it. */
  isPartial: boolean;
}

/**
 * The strictest that asks nothing that the file allows; but `auto` only where the file speaks of everything that can
 * do harm. An agent that can neither edit nor run commands only reads.
 */
function chooseMode({ tools, others }: GivenRights): PermissionMode {
  const right = (tool: PlainTool): GivenRight => tools.get(tool) ?? SILENT;
  const allowsOthers = others.verdict === "allow" || others.except.some(isAllowed);
  if ([...EDIT, "Bash" as const].every((tool) => isDenied(right(tool))) && !allowsOthers) {
    const asksNever = [...tools.values()].every(({ verdict, except }) => verdict !== "ask" && !except.some(isAsked));
    return asksNever && NET.every((tool) => isDenied(right(tool))) ? "denyUnasked" : "plan";
  }
  const harmful = [...EDIT, "Bash" as const, ...NET];
  const unasked: readonly PlainTool[] = harmful.filter((tool) => isUnasked(right(tool)));
  if (unasked.length === 0 && !allowsOthers) return "default";
  const saysAll = harmful.every((tool) => right(tool).verdict !== undefined);
  const isMoreThanEditing = allowsOthers || unasked.some((tool) => !isWriting(tool));
  if (saysAll && isMoreThanEditing) return "auto";
  return unasked.some(isWriting) ? "acceptEdits" : "default";
}

/** Some uses at least. Where the rest is asked, an ask of ours would outrank them. */
const isUnasked = ({ verdict, except }: GivenRight): boolean =>
  verdict === "allow" || (verdict === "deny" && except.some(isAllowed));

const isAllowed = ({ verdict }: Exception): boolean => verdict === "allow";
const isAsked = ({ verdict }: Exception): boolean => verdict === "ask";
const isDenied = ({ verdict, except }: GivenRight): boolean =>
  verdict === "deny" && except.every((one) => one.verdict === "deny");

function sort(found: Found, name: string, right: GivenRight, word: Verdict, rule: (spec: string) => string): void {
  const { verdict, except } = right;
  if (isDenied(right)) {
    found.denied.push(name);
    return;
  }
  if (verdict === "deny") found.isPartial = true;
  else found.whole.push(name);
  if (verdict === "ask" && word === "allow") found.ask.push(name);
  if (verdict === "allow" && word !== "allow") found.narrowed.push(name);
  for (const one of except) {
    const text = rule(one.spec);
    if (one.verdict === "deny") found.deny.push(text);
    // What is asked has to be among the tools, too.
    else if (verdict === "deny") found.allow.push(text);
    if (one.verdict === "ask" && word === "allow") found.ask.push(text);
    if (one.verdict === "allow" && (verdict === "ask" || word !== "allow")) found.narrowed.push(text);
  }
}

function toList(found: Found, areOthersDenied: boolean): ToolList | undefined {
  const { whole, allow, ask } = found;
  if (found.isPartial || areOthersDenied) {
    const allowed = [...whole, ...allow];
    if (ask.length + found.deny.length === 0) return allowed;
    return { mode: "allowlist", allow: allowed, ask, deny: found.deny };
  }
  // Who may not fetch pages may not call addresses by our own tool for it either.
  const denied = found.denied.flatMap((tool) => (tool === "WebFetch" ? [tool, "HttpRequest"] : [tool]));
  const deny = [...denied, ...found.deny];
  return deny.length + ask.length === 0 ? undefined : { mode: "denylist", allow: [], ask, deny };
}
