// opencode's permissions as a list of rules, in their order: the last that fits decides.
import type { Json } from "../../../schema/index.ts";
import { isObject } from "../lenient/json-value.ts";
import { type Exception, isStricter, type Verdict } from "../per-tool/tool-right.ts";

export interface PermissionRule {
  readonly key: string;
  readonly pattern: string;
  readonly action: Verdict;
}

export const MAX_RULES = 500;

/** All of these ask for the permission `edit`. */
const EDITORS: ReadonlySet<string> = new Set(["write", "patch", "apply_patch", "multiedit"]);

/** `tools` is the older form, and comes first, as in opencode itself. What cannot be read denies. */
export function permissionRules(permission: Json | undefined, tools: Json | undefined): PermissionRule[] {
  return [...fromTools(tools), ...fromPermission(permission)];
}

function fromTools(tools: Json | undefined): PermissionRule[] {
  if (tools === undefined || !isObject(tools)) return [];
  return Object.entries(tools).map(([name, isOn]) => ({
    key: EDITORS.has(name) ? "edit" : name,
    pattern: "*",
    action: isOn === true ? "allow" : "deny",
  }));
}

function fromPermission(permission: Json | undefined): PermissionRule[] {
  if (permission === undefined || permission === null) return [];
  if (!isObject(permission)) return [{ key: "*", pattern: "*", action: actionOf(permission) }];
  return Object.entries(permission).flatMap(([key, value]) => {
    const given = isObject(value) ? Object.entries(value) : [["*", value] as const];
    return given.map(([pattern, word]) => {
      const action = actionOf(word);
      return { key: action === "allow" ? key : meant(key), pattern, action };
    });
  });
}

const actionOf = (value: Json): Verdict => (value === "allow" || value === "ask" ? value : "deny");

/** opencode passes over `Bash` and `write` here. Where they restrict, it is clear what was meant. */
const meant = (key: string): string => {
  const lower = key.toLowerCase();
  return EDITORS.has(lower) ? "edit" : lower;
};

export interface Settled {
  readonly verdict: Verdict | undefined;
  readonly except: readonly Exception[];
  /** Patterns that loosen what an earlier one restricts. In our order the stricter one holds. */
  readonly overruled: readonly string[];
}

/** From "the last that fits" to "everything, except". */
export function settle(rules: readonly Omit<PermissionRule, "key">[]): Settled {
  const last = rules.findLastIndex(({ pattern }) => isEverything(pattern));
  const except: Exception[] = [];
  const overruled: string[] = [];
  for (const { pattern, action } of rules.slice(last + 1)) {
    const isTooLate = except.some((one) => isStricter(one.verdict, action) && mayOverlap(one.spec, pattern));
    if (isTooLate) overruled.push(pattern);
    except.push({ spec: pattern, verdict: action });
  }
  return { verdict: rules[last]?.action, except, overruled };
}

export const isEverything = (pattern: string): boolean => /^\*+$/.test(pattern);

/** Said of more pairs than is true: two patterns are apart only if what they begin with is. */
function mayOverlap(a: string, b: string): boolean {
  const [x, y] = [beginning(a), beginning(b)];
  return x.startsWith(y) || y.startsWith(x);
}

/** `git diff *` fits `git diff` too. */
const beginning = (pattern: string): string => (/^[^*?]*/.exec(pattern)?.[0] ?? "").trimEnd();
