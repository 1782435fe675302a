// The program's arguments, with values in their places. A value is never split, never read again, and never
// becomes an option where the author of the tool has not meant one.
import { fillTemplate } from "../../domain/templates.ts";
import type { JsonObject } from "../../schema/index.ts";
import { PLACE, placesIn } from "./check-command.ts";
import type { Manifest } from "./manifest.ts";

export type FilledCommand =
  | { readonly ok: true; readonly argv: readonly [string, ...string[]]; readonly stdin: string }
  | { readonly ok: false; readonly problem: string };

export function fillCommand({ command, inputs: declared, stdin }: Manifest, inputs: JsonObject): FilledCommand {
  const fill = (template: string): string =>
    declared.length === 0 ? template.replaceAll("$${", "${") : fillTemplate(template, declared, inputs);
  const [program = "", ...templates] = command;
  const args: string[] = [];
  for (const [index, template] of templates.entries()) {
    const isWhole = placesIn(template).length === 1 && template.replace(PLACE, "") === "";
    const [name = ""] = placesIn(template);
    if (isWhole && !Object.hasOwn(inputs, name)) continue; // nothing was given: there is no such argument
    const arg = fill(template);
    // An author who begins an argument with "-" means it; a value that does so may not.
    const isMeant = template.startsWith("-") || templates.slice(0, index).includes("--");
    if (arg.startsWith("-") && !isMeant)
      return { ok: false, problem: `"${name}" may not begin with "-" here: the program would take it for an option` };
    args.push(arg);
  }
  return { ok: true, argv: [program, ...args], stdin: stdinOf(stdin, inputs, fill) };
}

function stdinOf(stdin: Manifest["stdin"], inputs: JsonObject, fill: (template: string) => string): string {
  if (stdin === "none") return "";
  return stdin === "json" ? `${JSON.stringify(inputs)}\n` : fill(stdin.text);
}
