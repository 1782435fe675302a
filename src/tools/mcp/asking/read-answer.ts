// A person's words as the values of a form.
import * as z from "zod";
import type { FieldValue, FormField, Option } from "./form-fields.ts";

export type ReadAnswer =
  | { readonly ok: true; readonly content: Record<string, FieldValue> }
  | { readonly ok: false; readonly problem: string };

const Given = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]));

/** One field: all of the text is its value. Several: a line `name: value` each, or a JSON object. */
export function readAnswer(fields: readonly FormField[], text: string): ReadAnswer {
  const raw = rawValues(fields, text);
  if (raw === undefined) return { ok: false, problem: "it is no JSON object of plain values" };
  const unknown = [...raw.keys()].find((name) => !fields.some((field) => field.name === name));
  if (unknown !== undefined) return { ok: false, problem: `there is no field "${unknown}"` };
  const content: Record<string, FieldValue> = {};
  for (const field of fields) {
    const { name, isRequired, preset } = field;
    const given = raw.get(name);
    const value = given === undefined ? preset : valueOf(field, given);
    if (value !== undefined) content[name] = value;
    else if (given !== undefined) return { ok: false, problem: `"${given}" does not fit "${name}"` };
    else if (isRequired) return { ok: false, problem: `"${name}" is missing` };
  }
  return { ok: true, content };
}

function rawValues(fields: readonly FormField[], text: string): ReadonlyMap<string, string> | undefined {
  const words = text.trim();
  const [only] = fields;
  if (words === "") return new Map();
  if (words.startsWith("{")) {
    const parsed = Given.safeParse(jsonOf(words));
    if (parsed.success) return new Map(Object.entries(parsed.data).map(([name, value]) => [name, String(value)]));
    if (fields.length > 1) return undefined;
  }
  if (only !== undefined && fields.length === 1) return new Map([[only.name, words]]);
  const lines = words.split("\n").filter((line) => line.trim() !== "");
  return new Map(
    lines.map((line) => {
      const at = line.indexOf(":");
      return at === -1 ? [line.trim(), ""] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
    }),
  );
}

const YES = /^(?:yes|y|true|on)$/i;
const NO = /^(?:no|n|false|off)$/i;

function valueOf(field: FormField, given: string): FieldValue | undefined {
  switch (field.kind) {
    case "text":
      return given;
    case "number":
    case "integer": {
      const value = given === "" ? Number.NaN : Number(given);
      return Number.isFinite(value) && (field.kind === "number" || Number.isInteger(value)) ? value : undefined;
    }
    case "boolean":
      return YES.test(given) ? true : NO.test(given) ? false : undefined;
    case "one":
      return optionOf(field.options, given);
    case "several": {
      const chosen = given
        .split(",")
        .flatMap((one) => (one.trim() === "" ? [] : [optionOf(field.options, one.trim())]));
      return chosen.every((one) => one !== undefined) ? chosen : undefined;
    }
  }
}

/** By its value, its title or its number in the list. */
const optionOf = (options: readonly Option[], given: string): string | undefined =>
  (
    options.find(({ value }) => value === given) ??
    options.find(({ title }) => title.toLowerCase() === given.toLowerCase()) ??
    (/^\d{1,3}$/.test(given) ? options[Number(given) - 1] : undefined)
  )?.value;

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
