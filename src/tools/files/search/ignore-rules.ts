// What .gitignore files say. The deeper file outranks the higher, in one file the later line the earlier.
import { compileGlob, type Matches } from "./glob-pattern.ts";

interface Rule {
  readonly keeps: boolean;
  readonly foldersOnly: boolean;
  readonly matches: Matches;
}

export type IgnoreWord = "ignored" | "kept" | undefined;

const MAX_RULES = 5_000;

export class IgnoreRules {
  static readonly none = new IgnoreRules("", "", undefined);
  readonly #folder: string;
  readonly #rules: readonly Rule[];
  readonly #above: IgnoreRules | undefined;

  private constructor(folder: string, text: string, above: IgnoreRules | undefined) {
    this.#folder = folder;
    this.#rules = text.split("\n", MAX_RULES).flatMap(readRule).toReversed();
    this.#above = above;
  }

  /** With those of a folder further down, which is named relative to the same root. */
  with(folder: string, text: string): IgnoreRules {
    return text === "" ? this : new IgnoreRules(folder, text, this);
  }

  /** On the path itself: what lies in an ignored folder is never asked about. */
  wordOn(path: string, isFolder: boolean): IgnoreWord {
    const below = this.#folder === "" ? path : path.slice(this.#folder.length + 1);
    const rule = this.#rules.find(({ foldersOnly, matches }) => (isFolder || !foldersOnly) && matches(below));
    if (rule !== undefined) return rule.keeps ? "kept" : "ignored";
    return this.#above?.wordOn(path, isFolder);
  }
}

function readRule(line: string): Rule[] {
  const text = line.replace(/\r$/, "").replace(/(?<!\\)[ \t]+$/, "");
  if (text === "" || text.startsWith("#")) return [];
  const keeps = text.startsWith("!");
  const foldersOnly = text.endsWith("/");
  const glob = text.slice(keeps ? 1 : 0).replace(/\/$/, "");
  const isAnchored = glob.includes("/");
  const compiled = compileGlob(isAnchored ? glob.replace(/^\//, "") : `**/${glob}`, { braces: false });
  return compiled.ok && glob !== "" ? [{ keeps, foldersOnly, matches: compiled.value }] : [];
}
