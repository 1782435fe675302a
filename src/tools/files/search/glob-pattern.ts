// Globs, as regular expressions that take linear time: patterns come from models and from repositories.
import { RE2JS } from "re2js";
import type { Checked } from "../../checked-input.ts";

export type Matches = (path: string) => boolean;

const MAX_CHARS = 1_000;

/** `*` and `?` stay within one name, `**` crosses folders; also `[a-z]` and, where wanted, `{a,b}`. */
export function compileGlob(glob: string, options: { readonly braces: boolean }): Checked<Matches> {
  if (glob.length > MAX_CHARS)
    return { ok: false, problem: `the pattern has ${glob.length} characters; at most ${MAX_CHARS} are taken` };
  try {
    const regex = RE2JS.compile(`^(?:${new Translation(glob, options.braces).source()})$`, RE2JS.DOTALL);
    return { ok: true, value: (path) => regex.test(path) };
  } catch {
    return { ok: false, problem: `${JSON.stringify(glob)} is not a pattern of files, such as "src/**/*.ts"` };
  }
}

export const hasWildcards = (text: string): boolean => /[*?[\]{}\\!]/.test(text);

/** A pattern that names something hidden asks for it. */
export const namesHidden = (glob: string): boolean => /(^|[/{,])\.[^./]/.test(glob);

class Translation {
  readonly #glob: string;
  readonly #braces: boolean;
  #at = 0;

  constructor(glob: string, braces: boolean) {
    this.#glob = glob;
    this.#braces = braces;
  }

  source(): string {
    let source = "";
    while (this.#at < this.#glob.length) source += this.#next(0);
    return source;
  }

  #next(depth: number): string {
    const rest = this.#glob.slice(this.#at);
    const character = firstOf(rest);
    if (rest.startsWith("**") && this.#isAtStart()) {
      const after = rest.slice(2);
      if (after.startsWith("/")) return this.#step(3, "(?:[^/]+/)*");
      if (after === "" || (depth > 0 && /^[,}]/.test(after))) return this.#step(2, ".+");
    }
    if (character === "*") return this.#step(/^\*+/.exec(rest)?.[0].length ?? 1, "[^/]*");
    if (character === "?") return this.#step(1, "[^/]");
    if (character === "\\" && rest.length > 1) {
      const escaped = firstOf(rest.slice(1));
      return this.#step(1 + escaped.length, RE2JS.quote(escaped));
    }
    if (character === "[") return this.#set(rest);
    if (character === "{" && this.#braces && closesWithComma(rest)) return this.#choice(depth);
    return this.#step(character.length, RE2JS.quote(character));
  }

  #isAtStart(): boolean {
    return this.#at === 0 || /[/{,]/.test(this.#glob[this.#at - 1] ?? "");
  }

  #step(length: number, source: string): string {
    this.#at += length;
    return source;
  }

  #set(rest: string): string {
    const found = /^\[([!^]?)(\]?[^\]]*)\]/.exec(rest);
    if (found === null || found[2] === "") return this.#step(1, "\\[");
    const [whole, not, members = ""] = found;
    const safe = members.replaceAll(/[\\[\]^&~]/g, String.raw`\$&`).replaceAll("/", "");
    return this.#step(whole.length, not === "" ? `[${safe}]` : `[^/${safe}]`);
  }

  #choice(depth: number): string {
    let source = this.#step(1, "(?:");
    while (this.#at < this.#glob.length) {
      const character = this.#glob[this.#at];
      if (character === "}") return source + this.#step(1, ")");
      source += character === "," ? this.#step(1, "|") : this.#next(depth + 1);
    }
    return `${source})`;
  }
}

const firstOf = (text: string): string => String.fromCodePoint(text.codePointAt(0) ?? 0);

/** Otherwise the brace stands for itself. */
function closesWithComma(text: string): boolean {
  let depth = 0;
  let hasComma = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === "\\") at++;
    else if (character === "{") depth++;
    else if (character === "," && depth === 1) hasComma = true;
    else if (character === "}" && --depth === 0) return hasComma;
  }
  return false;
}
