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

export class NumberNames {
  readonly #calculated = new Set<string>();
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

  /** A word that is a name, or begins with one and `=`, may be for a command that sets it: `read`, `local`, … */
  seeWords(args: readonly CommandArgument[]): void {
    args.forEach((arg, at) => {
      if (arg.type !== "Word") return;
      const name = /^[A-Za-z_]\w*(?=$|[=+[])/.exec(arg.value)?.[0];
      if (name !== undefined) this.#texts.add(name);
      const isCompared = [args[at - 1], args[at + 1]].some(
        (other) => other?.type === "Word" && COMPARES.test(other.value),
      );
      const compared = isCompared ? /^\$\{?([A-Za-z_]\w*)\}?$/.exec(arg.text)?.[1] : undefined;
      if (compared !== undefined) this.#calculated.add(compared);
    });
  }

  /** False: there is more in it than numbers and plain names. */
  calculate(text: string): boolean {
    const plain = text.replace(/\$\{([A-Za-z_]\w*)\}|\$([A-Za-z_]\w*)/g, " $1$2 ").replace(/\$[?#!$]|\$\{#\w+\}/g, "0");
    if (!/^[\s\w+\-*/%()<>=&|^~!?:;,]*$/.test(plain)) return false;
    for (const [name] of plain.matchAll(NAME)) this.#calculated.add(name);
    return true;
  }

  areNumbers(): boolean {
    if (this.#isAnySet && this.#calculated.size > 0) return false;
    return [...this.#calculated].every((name) => !this.#texts.has(name) && !SET_BY_SHELL.test(name));
  }
}
