// Mistakes in a command that would let a value be more than a value.
import { basename } from "node:path";
import { unknownPlaces } from "../../domain/templates.ts";
import type { Manifest } from "./manifest.ts";

export interface CommandProblem {
  readonly path: readonly (string | number)[];
  readonly what: string;
}

export const PLACE = /\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** Programs that read an argument as code, and the options by which they are told to. */
const CODE: readonly (readonly [RegExp, RegExp])[] = [
  [/^(ba|da|z|k|mk|a|fi|c|tc)?sh$/, /^-[a-z]*c[a-z]*$/i],
  [/^(node|nodejs|deno|bun)$/, /^(-e|-p|-pe|--eval(=.*)?|--print(=.*)?|eval)$/],
  [/^(python[0-9.]*|pypy[0-9.]*)$/, /^-[a-z]*c$/i],
  [/^(perl|ruby|lua|php|osascript|Rscript)$/, /^-[a-z]*[er]$/i],
];

export function checkCommand({ command, inputs, stdin }: Manifest): CommandProblem[] {
  const problems: CommandProblem[] = [];
  const [program = "", ...args] = command;
  if (placesIn(program).length > 0)
    problems.push({ path: ["command", 0], what: "the program itself cannot come from an input" });
  const templates = [...command, ...(typeof stdin === "object" ? [stdin.text] : [])];
  for (const [index, template] of templates.entries()) {
    const path = index < command.length ? ["command", index] : ["stdin", "text"];
    const names = inputs.length === 0 ? placesIn(template) : unknownPlaces(template, inputs);
    for (const name of names) problems.push({ path, what: `\${${name}} is no input of this tool` });
  }
  const option = CODE.find(([programs]) => programs.test(basename(program)))?.[1];
  const at = option === undefined ? -1 : args.findIndex((arg) => option.test(arg));
  const code = at < 0 ? "" : `${args[at]} ${args[at + 1] ?? ""}`;
  if (placesIn(code).length > 0)
    problems.push({
      path: ["command", at + 2],
      what: `${basename(program)} would run the value as code: pass it behind the script, such as [sh, -c, 'wc -l < "$1"', sh, "\${file}"]`,
    });
  return problems;
}

export const placesIn = (template: string): string[] =>
  [...template.matchAll(PLACE)].map((match) => match[1]).filter((name) => name !== undefined);
