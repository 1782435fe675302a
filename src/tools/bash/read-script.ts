// From a line for the shell to everything that it would run. What is not fully understood is no list at all: the
// parser is tolerant, so every place where it may have guessed is looked at again here.
import { parse } from "unbash";
import type {
  AndOr,
  ArrayValue,
  Assignment,
  Command,
  CommandArgument,
  HereDoc,
  ParameterExpansionPart,
  ParsedScript,
  Redirect,
  Redirection,
  Statement,
  PipelineNode,
  TestExpression,
  Word,
  WordPart,
} from "unbash";
import { ANY_TEXT } from "../../domain/partly-known.ts";
import type { RuleSide } from "../../domain/tool-rules.ts";
import { arithmeticHead, isCovered } from "./covered-source.ts";
import { changesWhatRuns } from "./changes-what-runs.ts";
import { IS_INPUT } from "./hidden-code.ts";
import { COUNTS, NumberNames } from "./number-names.ts";
import { readWord, type ShellWord } from "./shell-words.ts";

/** One program with its arguments, or an assignment or redirection that stands by itself. */
export interface ShellCommand {
  readonly words: readonly ShellWord[];
  readonly assignments: readonly ShellWord[];
  readonly redirections: readonly Redirected[];
  /** What is written in the line itself for it to read; empty where a file is. Null: nothing, so it may come by a pipe. */
  readonly input: string | null;
}

export interface Redirected {
  readonly operator: string;
  readonly target: ShellWord;
}

export interface ShellScript {
  readonly commands: readonly ShellCommand[];
  /** Only simple commands, in pipes and one after the other, with substitutions of the same kind. */
  readonly isPlain: boolean;
}

const LONGEST = 10_000;
const DEEPEST = 20;
/** Characters that look like nothing, or like a blank that a shell does not take for one. */
const DECEPTIVE = /[\p{C}--[\n\t]]|[\p{Z}--[ ]]/v;

/**
 * `pass`: to let it through, so whatever could be something else is not understood. `stop`: what people write every day is,
 * too, where it takes more than a slip to hide something in it. `isForAnyShell`: not only bash may read it.
 */
export function readScript(source: string, side: RuleSide = "pass", isForAnyShell = false): ShellScript | null {
  if (source.length > LONGEST || DECEPTIVE.test(source) || hasManyBraces(source)) return null;
  const reader = new ScriptReader(side, isForAnyShell);
  try {
    reader.script(parse(source), source, 0);
    if (!reader.numbers.areNumbers()) return null;
  } catch (error) {
    if (error instanceof NotUnderstood || error instanceof RangeError) return null;
    throw error;
  }
  return { commands: reader.commands, isPlain: reader.isPlain };
}

const MOST_BRACES = 100;

/** One in the other: what the parser needs for them grows with the square. */
function hasManyBraces(source: string): boolean {
  let depth = 0;
  return (source.match(/[{}]/g) ?? []).some((brace) => {
    depth = brace === "{" ? depth + 1 : Math.max(0, depth - 1);
    return depth > MOST_BRACES;
  });
}

/** Never leaves this file: the way out of a deep tree. */
class NotUnderstood extends Error {}

const giveUp = (): never => {
  throw new NotUnderstood();
};

class ScriptReader {
  readonly commands: ShellCommand[] = [];
  readonly numbers = new NumberNames();
  readonly #side: RuleSide;
  readonly #isForAnyShell: boolean;
  isPlain = true;

  constructor(side: RuleSide, isForAnyShell: boolean) {
    this.#side = side;
    this.#isForAnyShell = isForAnyShell;
  }

  script(script: ParsedScript | undefined, source: string, depth: number): void {
    if (script === undefined || depth > DEEPEST || (script.errors ?? []).length > 0) return giveUp();
    if (script.source !== undefined && script.source !== source) return this.script(script, script.source, depth);
    if (!isCovered(script, source)) return giveUp();
    this.#statements(script.commands, source, depth);
  }

  #statements(statements: readonly Statement[], source: string, depth: number): void {
    for (const { command, background } of statements) {
      if (background === true) this.isPlain = false;
      this.#node(command, source, depth);
    }
  }

  #node(node: PipelineNode | AndOr, source: string, depth: number): void {
    if (depth > DEEPEST) return giveUp();
    const inner = depth + 1;
    if (node.type !== "Command" && node.type !== "Pipeline" && node.type !== "AndOr") this.isPlain = false;
    switch (node.type) {
      case "Command":
        return this.#command(node, source, inner);
      case "Pipeline":
      case "AndOr":
        return node.commands.forEach((one) => this.#node(one, source, inner));
      case "Subshell":
      case "BraceGroup":
        return this.#statements(node.body.commands, source, inner);
      case "If":
        for (const list of [node.clause, node.then, ...node.elif.flatMap((one) => [one.clause, one.then]), node.else]) {
          this.#statements(list?.commands ?? [], source, inner);
        }
        return;
      case "While":
        return [node.clause, node.body].forEach((list) => this.#statements(list.commands, source, inner));
      case "For":
        this.#name(node.name);
        this.numbers.set(node.name.text, node.wordlist);
        for (const word of node.wordlist ?? []) this.#word(word, source, inner);
        return this.#statements(node.body.commands, source, inner);
      case "Case":
        this.#word(node.word, source, inner);
        for (const item of node.items) {
          for (const pattern of item.pattern) this.#word(pattern, source, inner);
          this.#statements(item.body.commands, source, inner);
        }
        return;
      case "Function":
        this.#name(node.name);
        if (COUNTS.test(node.name.text)) giveUp();
        return this.#node(node.body.type === "CompoundList" ? giveUp() : node.body, source, inner);
      case "Redirected":
        this.commands.push({
          words: [],
          assignments: [],
          redirections: this.#redirections(node.redirects, source, inner),
          input: null,
        });
        return this.#node(node.command, source, inner);
      case "TestCommand":
        return this.#test(node.expression, source, inner);
      case "ArithmeticCommand":
        return this.#calculate(node.body);
      case "ArithmeticFor":
        this.#calculate(arithmeticHead(node, source) ?? giveUp());
        return this.#statements(node.body.commands, source, inner);
      case "Select":
      case "Coproc":
        return giveUp();
    }
  }

  #command({ name, prefix, suffix }: Command, source: string, depth: number): void {
    const assignments: ShellWord[] = [];
    const redirects: Redirection[] = [];
    const args: CommandArgument[] = [];
    for (const part of prefix) {
      if (part.type === "Assignment") assignments.push(this.#assignment(part, source, depth, name?.text === "read"));
      else redirects.push(part);
    }
    for (const part of suffix) {
      if (part.type === "Word" || part.type === "Assignment") args.push(part);
      else redirects.push(part);
    }
    const words = name === undefined ? [] : [this.#word(name, source, depth)];
    for (const arg of args) {
      words.push(arg.type === "Word" ? this.#word(arg, source, depth) : this.#assignment(arg, source, depth));
    }
    const isNamed = (program: string): boolean => words.some(({ value }) => value === program);
    this.numbers.seeWords(args, isNamed("wait"));
    if (isNamed("trap")) this.numbers.setAny();
    const redirections = this.#redirections(redirects, source, depth);
    const inputs = redirects.map(inputOf).filter((input) => input !== null);
    this.commands.push({ words, assignments, redirections, input: inputs.length === 0 ? null : inputs.join("\n") });
  }

  /** A text that is calculated is run, if a variable in it has a subscript in its own text. */
  #calculate(text: string): void {
    if (this.#side === "pass" ? !/^[\s0-9+\-*/%()<>&|^~!?:]*$/.test(text) : !this.numbers.calculate(text)) giveUp();
  }

  /** Another shell ends `$'a\'` elsewhere, and takes `[[` for a program, and `||`, `>` and `(` behind it for what they are elsewhere. */
  #onlyBash(): void {
    if (this.#isForAnyShell) giveUp();
  }

  #name(word: Word): void {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(word.text)) giveUp();
    if (changesWhatRuns(word.text)) giveUp();
  }

  /** `isForRead`: what separates words is set for `read` alone. */
  #assignment(assignment: Assignment, source: string, depth: number, isForRead = false): ShellWord {
    const { name, text, index, value } = assignment;
    if (index !== undefined || !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return giveUp();
    const head = `${name}${assignment.append === true ? "+=" : "="}`;
    if (value.type === "ArrayValue") return this.#array(head, name, value, source, depth);
    const given = this.#side === "stop" ? value.value : undefined;
    if (changesWhatRuns(name, given) && !(isForRead && name === "IFS" && this.#side === "stop")) return giveUp();
    this.numbers.set(name, [value]);
    if (text !== `${head}${value.text}`) return giveUp();
    // After `=` there is no splitting and no globbing, but a tilde counts.
    const read = this.#word(value, source, depth);
    const typed = value.text === "" ? "" : read.text;
    const shape = head + (read.value === null ? ANY_TEXT : typed);
    return { ...read, text: head + typed, prefix: head, shape, becomes: undefined };
  }

  /** Without subscripts: these are calculated. */
  #array(head: string, name: string, { pos, end, elements }: ArrayValue, source: string, depth: number): ShellWord {
    const between = elements.reduceRight(
      (rest, word) => `${source.slice(pos, word.pos)}${rest.slice(word.end - pos)}`,
      source.slice(pos, end),
    );
    if (this.#side === "pass" || changesWhatRuns(name) || !/^\(\s*\)$/.test(between)) return giveUp();
    if (elements.some(({ text }) => text.startsWith("["))) giveUp();
    this.numbers.set(name, undefined);
    for (const word of elements) this.#word(word, source, depth);
    const text = `${head}${source.slice(pos, end)}`;
    return { text, value: null, isGlob: false, splits: false, prefix: head, shape: head + ANY_TEXT };
  }

  #word(word: Word, source: string, depth: number): ShellWord {
    for (const part of word.parts ?? []) this.#part(part, source, depth);
    return readWord(word) ?? giveUp();
  }

  #part(part: WordPart, source: string, depth: number): void {
    switch (part.type) {
      case "Literal":
      case "SingleQuoted":
        return;
      case "AnsiCQuoted":
        return this.#onlyBash();
      case "SimpleExpansion":
        if (!/^\$(?:[A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-])$/.test(part.text)) giveUp();
        return;
      case "DoubleQuoted":
        return part.parts.forEach((one) => this.#part(one, source, depth));
      case "Glob":
        return (part.parts ?? []).forEach((one) => this.#part(one, source, depth));
      case "BraceExpansion":
        // Something may be hidden in it that only shows when it is expanded.
        if (/[$`<>()\\'"]/.test(part.text)) giveUp();
        return;
      case "ParameterExpansion":
        return this.#parameter(part, source, depth);
      case "CommandExpansion":
      case "ProcessSubstitution":
        return this.script(part.script, source, depth + 1);
      case "ArithmeticExpansion":
        if (part.expression === undefined || !/^\$\(\(.*\)\)$/s.test(part.text)) giveUp();
        return this.#calculate(part.text.slice(3, -2));
      case "LocaleString":
      case "ExtendedGlob":
        return giveUp();
    }
  }

  /** Indirection, prompts and subscripts run what is in the text of variables; `:=` sets one. */
  #parameter(part: ParameterExpansionPart, source: string, depth: number): void {
    const { parameter, prefix, index, operation } = part;
    if (!/^(?:[A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*#?$!-])$/.test(parameter) || prefix === "!") giveUp();
    if (index !== undefined && !/^(?:[0-9]+|[@*])$/.test(index.text)) giveUp();
    if (operation === undefined) return;
    switch (operation.type) {
      case "Default":
        if (operation.operator.includes("=")) giveUp();
        return void this.#word(operation.operand, source, depth);
      case "Remove":
        return void this.#word(operation.operand, source, depth);
      case "Replace":
        return [operation.pattern, operation.replacement].forEach((word) => void this.#word(word, source, depth));
      case "CaseModification":
        if (operation.operand !== undefined) this.#word(operation.operand, source, depth);
        return;
      case "Slice":
        if (![operation.offset.text, operation.length?.text ?? "0"].every((text) => /^ ?-?[0-9]+$/.test(text)))
          giveUp();
        return;
      case "Transform":
      case "Names":
      case "Unknown":
        return giveUp();
    }
  }

  #redirections(redirects: readonly Redirection[], source: string, depth: number): Redirected[] {
    return redirects.flatMap((one) => {
      if (one.descriptor?.type === "FileDescriptorVariable") return giveUp();
      if (one.type === "HereDoc") return this.#hereDoc(one, source, depth);
      const target = one.target === undefined ? giveUp() : this.#word(one.target, source, depth);
      if (one.type === "HereString" || isDuplicate(one, target) || target.value === "/dev/null") return [];
      return [{ operator: one.operator, target }];
    });
  }

  #hereDoc({ delimiter, body, closing }: HereDoc, source: string, depth: number): [] {
    if (delimiter === undefined || closing === undefined || !/^[A-Za-z0-9_]+$/.test(delimiter.value)) return giveUp();
    if (delimiter.quoted) {
      if (!/^(['"])[A-Za-z0-9_]+\1$/.test(delimiter.text)) return giveUp();
      return [];
    }
    // Without quotes what is in it is expanded. A body that the parser has not taken apart must have nothing to expand;
    // and lines that are joined may hide where it ends.
    if (delimiter.text !== delimiter.value || body.text.includes("\\\n")) return giveUp();
    if (body.parts === undefined && /[$`\\]/.test(body.text)) return giveUp();
    for (const part of body.parts ?? []) this.#part(part, source, depth);
    return [];
  }

  /** Nothing in it is expanded: a `$` is the end of the text. */
  #isPattern({ text, parts }: Word): boolean {
    return this.#side === "stop" && parts === undefined && /^(?:[^$`"'\\]|\$(?=$|[|)]))*$/.test(text);
  }

  #test(expression: TestExpression, source: string, depth: number): void {
    if (depth > DEEPEST) return giveUp();
    switch (expression.type) {
      case "TestUnary":
        if (expression.operator === "-v" || expression.operator === "-R") giveUp();
        return void this.#word(expression.operand, source, depth);
      case "TestBinary":
        // These count: a text is calculated, and a subscript in it is run.
        if (/^-(?:eq|ne|lt|le|gt|ge)$/.test(expression.operator)) {
          for (const { text } of [expression.left, expression.right]) this.#calculate(text.replace(/^"(.*)"$/, "$1"));
        }
        if (!/^(?:[!=]?=|-[a-z]{2})$/.test(expression.operator)) this.#onlyBash();
        if (expression.operator === "=~" && this.#isPattern(expression.right))
          return void this.#word(expression.left, source, depth);
        return [expression.left, expression.right].forEach((word) => void this.#word(word, source, depth));
      case "TestLogical":
        this.#onlyBash();
        return expression.operands.forEach((one) => this.#test(one, source, depth + 1));
      case "TestNot":
        return this.#test(expression.operand, source, depth + 1);
      case "TestGroup":
        this.#onlyBash();
        return this.#test(expression.expression, source, depth + 1);
    }
  }
}

/** `2>&1`, `>&-`: no file. In any other form a number may be the name of one. */
const isDuplicate = ({ operator }: Redirect, target: ShellWord): boolean =>
  (operator === ">&" || operator === "<&") && target.value !== null && /^(?:[0-9]+-?|-)$/.test(target.value);

const inputOf = (redirect: Redirection): string | null => {
  if (redirect.type === "HereDoc") return redirect.body.text;
  if (redirect.type === "HereString") return redirect.target?.text ?? "";
  const { operator, target } = redirect;
  const isFile = operator === "<" && target?.parts === undefined && !IS_INPUT.test(target?.value ?? "0");
  return isFile ? "" : null;
};
