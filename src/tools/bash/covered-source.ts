// The parser is not believed to have seen everything: whatever it did not make a word, a redirection or a
// document of must be nothing but operators, reserved words, blanks and comments.
import { forEachChild } from "unbash";
import type { ArithmeticFor, ParsedScript, SyntaxNode } from "unbash";

interface Span {
  readonly pos: number;
  readonly end: number;
}

/** Stands for what is covered. No blank: a `#` right behind a word is no comment. */
const TAKEN = "\ue000";

const RESERVED =
  /^(?:if|then|elif|else|fi|for|in|do|done|while|until|case|esac|function|time|!|\{|\}|\[\[|\]\]|-[a-zA-Z]{1,2}|[!=]?=|=~)$/;

export function isCovered(script: ParsedScript, source: string): boolean {
  const found: Found = { source, spans: [], groups: 0, functions: 0, patterns: 0 };
  collect(script, found);
  let at = script.pos;
  let left = "";
  for (const { pos, end } of found.spans.toSorted((a, b) => a.pos - b.pos)) {
    if (pos < at) return false; // two of them overlap: one of both is wrong
    left += `${source.slice(at, pos)}${TAKEN}`;
    at = end;
  }
  return isOnlySyntax(left + source.slice(at, script.end), found);
}

interface Found {
  readonly source: string;
  readonly spans: Span[];
  /** What has parentheses around it. */
  groups: number;
  /** May have a pair of them. */
  functions: number;
  /** Has one at its end, and may have one before it. */
  patterns: number;
}

const headOf = ({ pos, body }: ArithmeticFor, source: string): string =>
  /^for\s*\(\([^()]*(?:\([^()]*\)[^()]*)*\)\)/.exec(source.slice(pos, body.pos))?.[0] ?? "";

/** What stands in the parentheses of `for ((…))`. Undefined: not found as it is usually written. */
export const arithmeticHead = (node: ArithmeticFor, source: string): string | undefined =>
  /^for\s*\(\((.*)\)\)$/s.exec(headOf(node, source))?.[1];

const LEAVES: ReadonlySet<string> = new Set(["Word", "Assignment", "FileDescriptor", "HereDocDelimiter"]);

function collect(node: SyntaxNode, found: Found): void {
  if (LEAVES.has(node.type)) {
    found.spans.push({ pos: node.pos, end: node.end });
    return;
  }
  if (node.type === "HereDocBody") return;
  if (node.type === "ArithmeticCommand") found.spans.push({ pos: node.pos, end: node.end });
  if (node.type === "ArithmeticFor")
    found.spans.push({ pos: node.pos, end: node.pos + headOf(node, found.source).length });
  if (node.type === "HereDoc") found.spans.push({ pos: node.body.pos, end: node.closing?.end ?? node.body.end });
  if (node.type === "Subshell" || node.type === "TestGroup") found.groups += 1;
  if (node.type === "Function") found.functions += 1;
  if (node.type === "CaseItem") found.patterns += 1;
  forEachChild(node, (child) => collect(child, found));
}

function isOnlySyntax(left: string, { groups, functions, patterns }: Found): boolean {
  // A comment begins where a word could begin.
  const bare = left.replace(/(^|[\s;&|()<>])#[^\n]*/g, "$1");
  if (bare.includes("#")) return false;
  const opened = bare.split("(").length - 1;
  const closed = bare.split(")").length - 1;
  const pairs = closed - patterns - groups;
  if (pairs < 0 || pairs > functions || opened < groups + pairs || opened > closed) return false;
  const rest = bare.replace(/\\\n/g, " ").split(/[\s;&|()<>]+/);
  return rest.flatMap((word) => word.split(TAKEN)).every((word) => word === "" || RESERVED.test(word));
}
