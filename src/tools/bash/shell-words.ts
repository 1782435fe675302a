// Words of a shell: what is known of each before anything runs.
import type { Word, WordPart } from "unbash";
import { ANY_TEXT, knownStart, MORE_OPERANDS, MORE_WORDS, OPERAND } from "../../domain/partly-known.ts";

export interface ShellWord {
  /** As it would be typed: quoted only where that is needed. What is not known stays as it was written. */
  readonly text: string;
  /** What the program gets; null where that is known only when it runs, or where it may be several words. */
  readonly value: string | null;
  /** It has `*`, `?` or `[…]` outside of quotes: `value` is null, and only files that exist come of it. */
  readonly isGlob: boolean;
  /** Something in it may become several words. */
  readonly splits: boolean;
  /** It begins with these characters, whatever it turns out to be. */
  readonly prefix: string;
  /** All that it can be, for rules that stop: see `partly-known.ts`. */
  readonly shape: string;
  /** The words that come of braces and of `$'…'` in it. Null: too many, or not taken apart. Undefined: it has none. */
  readonly becomes?: readonly ShellWord[] | null | undefined;
}

/** What it begins with, for who looks for options: also what stands in quotes before a variable. */
export const startOf = ({ value, prefix, shape }: ShellWord): string => value ?? (prefix || knownStart(shape));

/** Null: something in it that we do not take apart. */
export function readWord(word: Pick<Word, "text" | "value" | "parts">): ShellWord | null {
  const { parts } = word;
  if (parts !== undefined && parts.map(({ text }) => text).join("") !== word.text) return null;
  const pieces = parts === undefined ? [bare(word.text)] : parts.map(pieceOf);
  const known = pieces.filter((piece) => piece !== null);
  if (known.length < pieces.length) return null;
  const read = wordOf(known, word.text);
  // The parser and we must be of one opinion.
  if (read.value !== null && read.value !== word.value) return null;
  return known.every(({ choices }) => choices === undefined) ? read : { ...read, becomes: chosen(known, word.text) };
}

function wordOf(pieces: readonly Piece[], text: string): ShellWord {
  const isStatic = pieces.every((piece) => piece.value !== null);
  const value = pieces.map((piece) => piece.value ?? "").join("");
  const unknownAt = pieces.findIndex((piece) => piece.value === null);
  const prefix = pieces.slice(0, isStatic ? undefined : unknownAt).map((piece) => piece.value ?? "");
  return {
    text: isStatic ? quoted(value) : text,
    value: isStatic ? value : null,
    isGlob: pieces.some((piece) => piece.isGlob),
    splits: pieces.some((piece) => piece.splits),
    prefix: prefix.join(""),
    shape: shapeOf(pieces),
  };
}

const MOST_WORDS = 64;

/** Of an empty choice without quotes no word is left. */
function chosen(pieces: readonly Piece[], text: string): ShellWord[] | null {
  const count = pieces.reduce((product, { choices = [""] }) => product * (choices?.length ?? Infinity), 1);
  if (count > MOST_WORDS || pieces.length > MOST_WORDS) return null;
  const ways = pieces.reduce<Piece[][]>(
    (starts, piece) => starts.flatMap((start) => (piece.choices ?? [piece]).map((one) => [...start, one])),
    [[]],
  );
  return ways.map((way) => wordOf(way, text)).filter(({ value }) => value !== "" || /['"]/.test(text));
}

/** The words as if braces and `$'…'` had been typed out. */
export const typedOut = (words: readonly ShellWord[]): readonly ShellWord[] =>
  words.flatMap((word) => word.becomes ?? [word]);

function shapeOf(pieces: readonly Piece[]): string {
  if (pieces.every(({ value, splits }) => value === null && splits)) return MORE_WORDS;
  const isKnown = pieces.every(({ value, shape }) => value !== null && shape === undefined);
  return isKnown ? quoted(pieces.map(({ value }) => value).join("")) : withFiles(pieces);
}

/** A pattern for files may become more words of the same kind: options only where it begins like one. */
function withFiles(pieces: readonly Piece[]): string {
  const shape = pieces
    .map(({ value, shape: known }) => known ?? (value === null ? ANY_TEXT : together(value)))
    .join("");
  if (!pieces.some(({ isGlob }) => isGlob)) return shape;
  return shape + (/^'?-/.test(shape) || shape.startsWith(ANY_TEXT) ? MORE_WORDS : MORE_OPERANDS);
}

/** Blanks in quotes end no word. */
const together = (text: string): string => (/[\s']/.test(text) ? quoted(text) : text);

interface Piece {
  readonly value: string | null;
  readonly isGlob: boolean;
  readonly splits: boolean;
  /** What is known of it although it has no value; or what may be told of its value. */
  readonly shape?: string;
  /** What it is typed out. Null: braces that are not taken apart. */
  readonly choices?: readonly Piece[] | null;
}

const fixed = (value: string): Piece => ({ value, isGlob: false, splits: false });
const SOMETHING: Piece = { value: null, isGlob: false, splits: false, shape: OPERAND };
const SEVERAL: Piece = { value: null, isGlob: false, splits: true };

/** A total table: a kind of part that it does not have cannot be read. */
function pieceOf(part: WordPart): Piece | null {
  switch (part.type) {
    case "Literal":
      return bare(part.text);
    case "SingleQuoted":
      return part.text === `'${part.value}'` ? fixed(part.value) : null;
    case "DoubleQuoted":
      return doubleQuoted(part.text, part.parts);
    case "Glob":
      return { value: null, isGlob: true, splits: false, shape: MAY_BE_DASH.test(part.text) ? ANY_TEXT : OPERAND };
    case "SimpleExpansion":
    case "ParameterExpansion":
    case "CommandExpansion":
    case "ArithmeticExpansion":
      return SEVERAL;
    case "BraceExpansion":
      return COUNTED.test(part.text) ? SEVERAL : { ...SEVERAL, choices: choicesIn(part.text) };
    case "ProcessSubstitution":
      return SOMETHING;
    case "AnsiCQuoted":
      return { ...SOMETHING, choices: [decoded(part.value)] };
    case "LocaleString":
    case "ExtendedGlob":
      return null;
  }
}

/** `[+--]rf` is written to become an option; `*` and `?` are not. */
const MAY_BE_DASH = /^\[(?!(?:\w(?:-\w)?)+\]$)/;

/** Bytes that are no text, and what the marks of a shape could be taken for. */
const UNSEEN = /[\p{C}\uFFFD]/u;

const decoded = (value: string): Piece => ({ ...fixed(value), ...(UNSEEN.test(value) ? { shape: ANY_TEXT } : {}) });

/** Of numbers no option comes. */
const COUNTED = /^\{-?\d+\.\.-?\d+(?:\.\.-?\d+)?\}$/;
const LETTERS = /^\{(?:([a-z])\.\.([a-z])|([A-Z])\.\.([A-Z]))\}$/;

function choicesIn(text: string): readonly Piece[] | null {
  const [from, to] = (LETTERS.exec(text) ?? []).slice(1).flatMap((letter) => letter?.charCodeAt(0) ?? []);
  const texts = from === undefined || to === undefined ? alternativesIn(text) : lettersBetween(from, to);
  const pieces = texts?.map(bare) ?? null;
  return pieces?.every((piece) => piece !== null) === true ? pieces : null;
}

const lettersBetween = (from: number, to: number): string[] =>
  Array.from({ length: Math.abs(to - from) + 1 }, (_, at) => String.fromCharCode(from + (to < from ? -at : at)));

/** `a{b,c{d,e}}` as `ab`, `acd` and `ace`: what stands in the first braces, each before all that comes behind them. */
function alternativesIn(text: string): string[] | null {
  const open = text.indexOf("{");
  if (open === -1) return [text];
  const cuts = [open];
  let depth = 0;
  let close = open;
  for (; close < text.length; close += 1) {
    const sign = text[close];
    if (sign === "{") depth += 1;
    else if (sign === "}") depth -= 1;
    else if (sign === "," && depth === 1) cuts.push(close);
    if (depth === 0) break;
  }
  if (depth > 0 || cuts.length === 1) return null;
  const inner = cuts.map((cut, at) => alternativesIn(text.slice(cut + 1, cuts[at + 1] ?? close)));
  const behind = alternativesIn(text.slice(close + 1));
  const known = inner.filter((list) => list !== null);
  if (behind === null || known.length < inner.length) return null;
  const starts = known.flat();
  if (starts.length * behind.length > MOST_WORDS) return null;
  return starts.flatMap((start) => behind.map((end) => text.slice(0, open) + start + end));
}

const ESCAPED = /\\([^\n])/g;

/** Outside of quotes. A tilde is somebody's home where a path may begin; braces are a choice where one is in them. */
function bare(text: string): Piece | null {
  const plain = text.replace(ESCAPED, "_");
  if (plain.includes("\\") || /["'`$]/.test(plain)) return null;
  if (/(?:^|[=:])~/.test(plain)) return SOMETHING;
  if (/[{}]/.test(plain.replace(/\{(?:(?!\.\.)[^{},])*\}/g, ""))) return { ...SEVERAL, choices: null };
  if (/\{[^{},]*\.[^{},]*\}/.test(plain)) return SEVERAL;
  if (/[*?[\]]/.test(plain) && !/^(?:\[\[?|\]\]?)$/.test(text)) return SEVERAL;
  return fixed(text.replace(ESCAPED, "$1"));
}

function doubleQuoted(text: string, parts: readonly WordPart[]): Piece | null {
  if (`"${parts.map((part) => part.text).join("")}"` !== text) return null;
  if (parts.some(({ type }) => type !== "Literal")) {
    if (/\$\{?@|\[@\]/.test(text)) return SEVERAL;
    const shapes = parts.map((part) => (part.type === "Literal" ? together(unescaped(part.text)) : OPERAND));
    return { ...SOMETHING, shape: shapes.join("") };
  }
  const inner = text.slice(1, -1);
  if (inner.replace(/\\[^\n]/g, "").includes("\\")) return null;
  return fixed(unescaped(inner));
}

/** In double quotes. */
const unescaped = (text: string): string => text.replace(/\\(?:([$`"\\])|\n)/g, "$1");

const PLAIN = /^[A-Za-z0-9_@%+=:,./^-][A-Za-z0-9_@%+=:,./^~-]*$/;

/** As somebody would type it. Also for `{}`, which means itself. */
export const quoted = (value: string): string =>
  PLAIN.test(value) || value === "{}" || value === "[" || value === "]" ? value : `'${value.replaceAll("'", `'\\''`)}'`;
