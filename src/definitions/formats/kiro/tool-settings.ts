// `toolsSettings` of Kiro 2.x: what commands and paths are allowed unasked, and which are denied.
import type { Json, JsonObject } from "../../../schema/index.ts";
import { isObject } from "../lenient/json-value.ts";
import type { Exception, PlainTool } from "../per-tool/tool-right.ts";

export interface ToolSettings {
  readonly except: readonly Exception[];
  /** Commands that are not named are denied, not asked. */
  readonly isClosed: boolean;
  /** Something is denied that cannot be said here, so all of the tool is. */
  readonly isDenied: boolean;
}

const KEYS: Readonly<Partial<Record<PlainTool, readonly string[]>>> = {
  Bash: ["shell", "execute_bash"],
  Edit: ["write", "fs_write"],
  Write: ["write", "fs_write"],
  Read: ["read", "fs_read"],
  List: ["read", "fs_read"],
  Grep: ["grep", "read", "fs_read"],
  Glob: ["glob", "read", "fs_read"],
  WebFetch: ["web_fetch"],
};

export function settingsFor(tool: PlainTool, all: Json | undefined): ToolSettings {
  const found = (KEYS[tool] ?? []).flatMap((key) => (isObject(all) && isObject(all[key]) ? [all[key]] : []));
  const lists = (key: string) => found.flatMap((one) => list(one, key));
  const isShell = tool === "Bash";
  const allowed = isShell ? lists("allowedCommands").map(globOf) : lists("allowedPaths");
  const denied = isShell ? lists("deniedCommands").map(denyingGlob) : lists("deniedPaths");
  return {
    except: [
      ...allowed.filter((spec) => spec !== undefined).map((spec) => ({ spec, verdict: "allow" as const })),
      ...denied.filter((spec) => spec !== undefined).map((spec) => ({ spec, verdict: "deny" as const })),
    ],
    isClosed: found.some((one) => one["denyByDefault"] === true),
    isDenied:
      denied.includes(undefined) || lists("blocked").length > 0 || found.some((one) => one["disabled"] === true),
  };
}

const list = (settings: JsonObject, key: string): string[] => {
  const value = settings[key];
  return Array.isArray(value) ? value.filter((item) => typeof item === "string").filter((item) => item !== "") : [];
};

const START = /^(?:\^|\\A)/;
const END = /(?:\$|\\z)$/;

/** Regular expressions. Those that only have `.*` are patterns of ours. */
function globOf(expression: string): string | undefined {
  const inner = expression.replace(START, "").replace(END, "");
  const glob = inner.replaceAll(/\\([^A-Za-z0-9])|(\.\*)/g, (_, sign: string | undefined) =>
    sign === undefined ? "*" : `\0${sign}`,
  );
  if (/(?<!\0)[\\^$.|?+()[\]{}]/.test(glob) || /\0[*?]/.test(glob)) return undefined;
  return glob.replaceAll("\0", "");
}

/** To allow, an expression has to fit the whole command; to deny, a part of it is taken to be enough. */
function denyingGlob(expression: string): string | undefined {
  const glob = globOf(expression);
  if (glob === undefined) return undefined;
  const start = START.test(expression) || glob.startsWith("*") ? "" : "*";
  return `${start}${glob}${END.test(expression) || glob.endsWith("*") ? "" : "*"}`;
}

/** The other way round. */
export const allowingExpression = (spec: string): string =>
  spec
    .replaceAll(/[\\^$.|+()[\]{}]/g, String.raw`\$&`)
    .replaceAll("*", ".*")
    .replaceAll("?", ".");

/** `rm *` denies `rm`, too. */
export const denyingExpressions = (spec: string): string[] =>
  [spec, ...(spec.endsWith(" *") ? [spec.slice(0, -2)] : [])].map((one) => `^${allowingExpression(one)}$`);
