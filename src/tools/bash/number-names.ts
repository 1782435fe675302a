// Variables that a line calculates with. Bash runs what stands in the subscript of a name that is calculated, also if that
// name is the text of a variable: so they must hold numbers, as far as the line itself sets them. What it does not set
// comes from the environment, which is ours.
import type { CommandArgument, Word } from "unbash";

/** Set by the shell itself, to text of the line or of its input. */
const SET_BY_SHELL = /^(?:_|REPLY|OPTARG|MAPFILE|COPROC|BASH.*|DIRSTACK|FUNCNAME|PS[0-4]|HIST.*)$/;

/** Programs whose output is a number, or one in each line. */
export const COUNTS = /^(?:date|nproc|seq)$/;
const NUMBER =
  /^(?:-?\d*|\{-?\d+\.\.-?\d+\}|\$\(\((?:(?!\)\))[^'"`])*\)\)|\$[?#!$]|\$\{#\w+\}|\$\((?:date \+%s|nproc|seq(?: -?\d+){1,3})\))$/s;
const NAME = /(?<![0-9A-Za-z_])[A-Za-z_][0-9A-Za-z_]*/g;
const COMPARES = /^-(?:eq|ne|lt|le|gt|ge)$/;

const EXPANSION = "\\$(?:\\{#?\\w+\\}|[A-Za-z_]\\w*(?!\\w)|[?#!$])";
/** `x$y`: what stands right beside a variable makes another name of its text. */
const PUT_TOGETHER = new RegExp(`\\w${EXPANSION}|${EXPANSION}(?:\\w|\\$)`);

export class NumberNames {
  readonly #calculated = new Set<string>();
  readonly #waitedFor = new Set<string>();
  readonly #texts = new Set<string>();
  #isAnySet = false;

  /** Undefined: to anything. */
  set(name: string, words: readonly Word[] | undefined): void {
    const areNumbers = words?.every(({ text }) => NUMBER.test(text.replace(/^"(.*)"$/s, "$1"))) ?? false;
    if (!areNumbers) this.#texts.add(name);
  }

  /** By a text that is run later, and not read here. */
  setAny(): void {
    this.#isAnySet = true;
  }

  /**
   * A word that is a name, or begins with one and `=`, may be for a command that sets it: `read`, `local`, … What `wait` is
   * given could be an option of it, which names a variable.
   */
  seeWords(args: readonly CommandArgument[], isForWait: boolean): void {
    args.forEach((arg, at) => {
      if (arg.type !== "Word") return;
      const name = /^[A-Za-z_]\w*(?=$|[=+[])/.exec(arg.value)?.[0];
      if (name !== undefined) this.#texts.add(name);
      const isCompared = [args[at - 1], args[at + 1]].some(
        (other) => other?.type === "Word" && COMPARES.test(other.value),
      );
      const text = isForWait ? arg.text.replace(/^"(.*)"$/s, "$1") : arg.text;
      const counted = isCompared || isForWait ? /^\$\{?([A-Za-z_]\w*)\}?$/.exec(text)?.[1] : undefined;
      if (counted !== undefined) (isForWait ? this.#waitedFor : this.#calculated).add(counted);
    });
  }

  /** False: there is more in it than numbers and plain names, or a name is put together. */
  calculate(text: string): boolean {
    if (PUT_TOGETHER.test(text)) return false;
    const plain = text.replace(/\$\{([A-Za-z_]\w*)\}|\$([A-Za-z_]\w*)/g, " $1$2 ").replace(/\$[?#!$]|\$\{#\w+\}/g, "0");
    if (!/^[\s\w+\-*/%()<>=&|^~!?:;,]*$/.test(plain)) return false;
    for (const [name] of plain.matchAll(NAME)) this.#calculated.add(name);
    return true;
  }

  areNumbers(): boolean {
    if (this.#isAnySet && this.#calculated.size > 0) return false;
    return [...this.#calculated, ...this.#waitedFor].every(
      (name) => !this.#texts.has(name) && !SET_BY_SHELL.test(name),
    );
  }
}
