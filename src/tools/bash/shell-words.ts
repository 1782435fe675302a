// Words of a shell: what is known of each before anything runs.
import type { Word, WordPart } from "unbash";
import { ANY_TEXT, MORE_OPERANDS, MORE_WORDS, OPERAND } from "../../domain/partly-known.ts";

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
  /** All that it can be, for rules that stop: see `partly-known.ts`. Braces are the words that come of them. */
  readonly shape: string;
}

/** Null: something in it that we do not take apart. */
export function readWord(word: Pick<Word, "text" | "value" | "parts">): ShellWord | null {
  const { parts } = word;
  if (parts !== undefined && parts.map(({ text }) => text).join("") !== word.text) return null;
  const pieces = parts === undefined ? [bare(word.text)] : parts.map(pieceOf);
  const known = pieces.filter((piece) => piece !== null);
  if (known.length < pieces.length) return null;
  const isStatic = known.every((piece) => piece.value !== null);
  const value = known.map((piece) => piece.value ?? "").join("");
  // The parser and we must be of one opinion.
  if (isStatic && value !== word.value) return null;
  const unknownAt = known.findIndex((piece) => piece.value === null);
  const prefix = known.slice(0, isStatic ? undefined : unknownAt).map((piece) => piece.value ?? "");
  return {
    text: isStatic ? quoted(value) : word.text,
    value: isStatic ? value : null,
    isGlob: known.some((piece) => piece.isGlob),
    splits: known.some((piece) => piece.splits),
    prefix: prefix.join(""),
    shape: isStatic ? quoted(value) : shapeOf(known),
  };
}

const MOST_WORDS = 64;

function shapeOf(pieces: readonly Piece[]): string {
  if (pieces.every(({ value, splits, choices }) => value === null && splits && choices === undefined))
    return MORE_WORDS;
  const isChosen = pieces.every(({ value, choices }) => value !== null || choices !== undefined);
  const count = pieces.reduce((product, { choices }) => product * (choices?.length ?? 1), 1);
  if (!isChosen || count > MOST_WORDS) return withFiles(pieces);
  const words = pieces.reduce<string[]>(
    (starts, { value, choices }) => starts.flatMap((start) => (choices ?? [value ?? ""]).map((one) => start + one)),
    [""],
  );
  return words.flatMap((word) => (word === "" ? [] : [quoted(word)])).join(" ");
}

/** A pattern for files may become more words of the same kind: options only where it begins like one. */
function withFiles(pieces: readonly Piece[]): string {
  const shape = pieces
    .map((piece) => (piece.value === null ? (piece.shape ?? ANY_TEXT) : together(piece.value)))
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
  /** What is known of it although it has no value. */
  readonly shape?: string;
  readonly choices?: readonly string[];
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
      return { ...SEVERAL, ...choicesIn(part.text) };
    case "ProcessSubstitution":
      return SOMETHING;
    case "AnsiCQuoted":
      return { ...SOMETHING, shape: UNSEEN.test(part.value) ? ANY_TEXT : together(part.value) };
    case "LocaleString":
    case "ExtendedGlob":
      return null;
  }
}

/** `[+--]rf` is written to become an option; `*` and `?` are not. */
const MAY_BE_DASH = /^\[(?!(?:\w(?:-\w)?)+\]$)/;

/** Bytes that are no text, and what the marks of a shape could be taken for. */
const UNSEEN = /[\p{C}\uFFFD]/u;

/** `{a,b}` with nothing in it that means more. */
function choicesIn(text: string): { readonly choices?: readonly string[] } {
  const inner = /^\{([^{}$`\\'"*?[\]~]*,[^{}$`\\'"*?[\]~]*)\}$/.exec(text)?.[1];
  return inner === undefined ? {} : { choices: inner.split(",") };
}

const ESCAPED = /\\([^\n])/g;

/** Outside of quotes. A tilde is somebody's home where a path may begin; braces are a choice where one is in them. */
function bare(text: string): Piece | null {
  const plain = text.replace(ESCAPED, "_");
  if (plain.includes("\\") || /["'`$]/.test(plain)) return null;
  if (/(?:^|[=:])~/.test(plain)) return SOMETHING;
  if (/[{}]/.test(plain.replace(/\{[^{},.]*\}/g, ""))) return SEVERAL;
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
