import * as z from "zod";
import { nearest } from "../../domain/nearest.ts";
import { unknownPlaces } from "../../domain/templates.ts";
import { AgentDefinition } from "../../schema/index.ts";
import type { Section } from "./front-matter.ts";
import type { Report } from "./problems.ts";
import { didYouMean, show } from "./show.ts";

/** Looked at alone, so that other mistakes of a file do not hide these. */
const Templated = z.object({
  prompt: AgentDefinition.shape.prompt,
  query: AgentDefinition.shape.query,
  inputs: AgentDefinition.shape.inputs,
});

/** `${x}` in a prompt or a query must name an input. `written` is that text as the file has it. */
export function checkPlaces(given: unknown, field: "prompt" | "query", written: Section, report: Report): void {
  const parsed = Templated.safeParse(given);
  if (!parsed.success) return; // validation says why
  const { inputs, [field]: template = "" } = parsed.data;
  for (const name of unknownPlaces(template, inputs)) {
    const guess = didYouMean(
      nearest(
        name,
        inputs.map((input) => input.name),
      ),
    );
    report(
      written.start + indexOfPlace(written.text, name),
      `the ${field} uses ${show(`\${${name}}`)}, which is no input${guess}`,
    );
  }
}

/** Zero if an escape or an alias hides it: then it is somewhere in that text. */
const indexOfPlace = (text: string, name: string): number => {
  const found = new RegExp(`(?<!\\$)\\$\\{${name}\\}`).exec(text);
  return found === null ? 0 : found.index;
};
