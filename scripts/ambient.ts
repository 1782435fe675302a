import { child, children, identifierName, literalText, memberName, parseSource, walk } from "./syntax.ts";
import type { Node } from "./syntax.ts";

/** The folders that touch the real clock, chance, process and terminal; all others are handed them through a port. */
export const ambientFolders: readonly string[] = [
  "platform",
  "app",
  "cli",
  "tui",
  "http",
  "mcp",
  "acp",
  "a2a",
  "testing",
];

const globals = new Set([
  "performance",
  "crypto",
  "randomUUID",
  "process",
  "console",
  "setTimeout",
  "setInterval",
  "setImmediate",
  "globalThis",
  "global",
]);

const members = new Set(["Date.now", "Math.random", "Temporal.Now"]);

const modules = new Set(["process", "console", "timers", "timers/promises", "perf_hooks"]);

/** Hashing is a pure function and may be imported by name; chance may not. */
const pureCrypto = new Set(["createHash", "createHmac", "hash", "timingSafeEqual"]);

/** Names that say how a signature's parameter is meant, and take part in nothing. */
const signatures = new Set([
  "TSFunctionType",
  "TSConstructorType",
  "TSMethodSignature",
  "TSCallSignatureDeclaration",
  "TSConstructSignatureDeclaration",
  "TSIndexSignature",
]);

/** One message per use of something ambient. A local of such a name counts too: it needs another name. */
export function ambientUses(path: string, text: string): string[] {
  const syntax = parseSource(path, text);
  const uses: { what: string; line: number }[] = [];
  walk(syntax.root, (node, parent, key) => {
    const what = inspect(node, parent, key);
    if (what !== undefined) uses.push({ what, line: syntax.lineAt(node.start) });
  });
  return [...new Set(uses.map(({ what, line }) => `${path}: ${what} is ambient (line ${line})`))];
}

function inspect(node: Node, parent: Node | undefined, key: string): string | undefined {
  switch (node.type) {
    case "Identifier":
      return usedGlobal(node, parent, key);
    case "MemberExpression":
      return usedMember(node);
    case "NewExpression":
      return isDateWithoutArguments(node) ? "new Date()" : undefined;
    case "CallExpression":
      return identifierName(child(node, "callee")) === "Date" ? "Date()" : undefined;
    case "VariableDeclarator":
      return aliased(child(node, "init"));
    case "ImportDeclaration":
    case "ImportExpression":
    case "ExportAllDeclaration":
    case "ExportNamedDeclaration":
      return usedModule(node);
    default:
      return undefined;
  }
}

function usedGlobal(node: Node, parent: Node | undefined, key: string): string | undefined {
  const name = identifierName(node);
  return name !== undefined && globals.has(name) && !isOnlyAName(parent, key) ? name : undefined;
}

function isOnlyAName(parent: Node | undefined, key: string): boolean {
  if (!parent) return false;
  if (key === "property" || key === "key") return parent["computed"] !== true;
  if (key === "params" || key === "parameters") return signatures.has(parent.type);
  if (key === "right") return parent.type === "TSQualifiedName";
  return key === "imported" || key === "exported" || key === "label";
}

function usedMember(node: Node): string | undefined {
  const full = `${identifierName(child(node, "object")) ?? ""}.${memberName(node) ?? ""}`;
  return members.has(full) ? full : undefined;
}

function isDateWithoutArguments(node: Node): boolean {
  return identifierName(child(node, "callee")) === "Date" && children(node, "arguments").length === 0;
}

/** `const { now } = Date` and `const clock = Date` take the member out of sight. */
function aliased(init: Node | undefined): string | undefined {
  const name = identifierName(init);
  return name === "Date" || name === "Math" ? `an alias of ${name}` : undefined;
}

function usedModule(node: Node): string | undefined {
  const specifier = literalText(child(node, "source"));
  if (specifier === undefined || node["importKind"] === "type" || node["exportKind"] === "type") return undefined;
  const name = specifier.startsWith("node:") ? specifier.slice("node:".length) : specifier;
  if (modules.has(name)) return specifier;
  return name === "crypto" && !namesOnlyPureThings(node) ? specifier : undefined;
}

function namesOnlyPureThings(node: Node): boolean {
  const specifiers = children(node, "specifiers");
  return specifiers.length > 0 && specifiers.every((specifier) => pureCrypto.has(originalName(specifier)));
}

/** The name the other module gives it; a default or namespace import has none. */
function originalName(specifier: Node): string {
  const key = specifier.type === "ExportSpecifier" ? "local" : "imported";
  return identifierName(child(specifier, key)) ?? "";
}
