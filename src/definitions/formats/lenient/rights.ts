// What a file of another program lets its agent do, in our words.
import { DELEGATION_TOOLS, TOOLS } from "../../../domain/tool-names.ts";
import type { PermissionMode, ToolList, WorkspaceBinding } from "../../../schema/index.ts";

/** From the least to the most that happens without a question. */
const MODES = ["plan", "denyUnasked", "default", "acceptEdits", "auto"] as const satisfies readonly PermissionMode[];

export const narrowerMode = (a: PermissionMode, b: PermissionMode): PermissionMode =>
  MODES.indexOf(a) <= MODES.indexOf(b) ? a : b;

const WRITING = ["Write", "Edit", "Bash"];

/**
 * No other program keeps an agent that has a tool for it from writing to the project. So one that has such a tool
 * may do so here; the permission mode then says whether it is asked. Saying it is what lets a comparison find out
 * that our `allow_writes: false` is lost on the way to another program.
 */
export function workspaceFor(tools: ToolList | undefined, mode: PermissionMode): WorkspaceBinding {
  return { mode: "shared", allow_writes: mode !== "plan" && WRITING.some((tool) => isGiven(tools, tool)) };
}

/** Whether a list lets an agent have a tool at all, under whatever rule. */
export function isGiven(tools: ToolList | undefined, tool: string): boolean {
  if (tools === undefined) return true;
  const list = Array.isArray(tools) ? { mode: "allowlist" as const, allow: tools, deny: [], ask: [] } : tools;
  if (list.deny.includes(tool) || list.deny.includes("*")) return false;
  if (list.mode === "denylist") return true;
  return list.allow.some((rule) => rule === "*" || rule === tool || rule.startsWith(`${tool}(`));
}

/** An allow list, a deny list, both, or neither: undefined is every tool that may be given by omission. */
export function toolListOf(allow: readonly string[] | undefined, deny: readonly string[]): ToolList | undefined {
  const allowed = allow === undefined || allow.includes("*") ? undefined : [...allow];
  if (deny.length === 0) return allowed;
  if (allowed === undefined) return { mode: "denylist", allow: [], ask: [], deny: [...deny] };
  return { mode: "allowlist", allow: allowed, ask: [], deny: [...deny] };
}

export interface Rights {
  /** Undefined: every tool. */
  readonly allow: readonly string[] | undefined;
  readonly ask: readonly string[];
  readonly deny: readonly string[];
}

/** A list of tools taken apart, for a writer. */
export function rightsOf(tools: ToolList | undefined): Rights {
  if (tools === undefined) return { allow: undefined, ask: [], deny: [] };
  if (Array.isArray(tools)) return { allow: tools.includes("*") ? undefined : tools, ask: [], deny: [] };
  const isOpen = tools.mode === "denylist" || tools.allow.includes("*");
  return { allow: isOpen ? undefined : tools.allow, ask: tools.ask, deny: tools.deny };
}

/** For formats that can only allow: without what is denied as a whole. Undefined: nothing is, and all is allowed. */
export function allowedOnly({ allow, deny }: Rights): readonly string[] | undefined {
  const whole = deny.filter((rule) => !rule.includes("("));
  if (whole.length === 0) return allow;
  if (whole.includes("*")) return [];
  const all = allow ?? TOOLS.filter((tool) => !DELEGATION_TOOLS.has(tool));
  return all.filter((rule) => !whole.some((denied) => rule === denied || rule.startsWith(`${denied}(`)));
}
