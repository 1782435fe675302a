// The form that a server would show: a flat list of plain values, which a person answers in a line each.
import * as z from "zod";
import { oneLine } from "../../../domain/summaries.ts";
import { harmless } from "../../envelope.ts";

export interface Option {
  readonly value: string;
  readonly title: string;
}

export type FieldKind =
  | { readonly kind: "text" | "number" | "integer" | "boolean" }
  | { readonly kind: "one" | "several"; readonly options: readonly Option[] };

export type FieldValue = string | number | boolean | string[];

export type FormField = FieldKind & {
  readonly name: string;
  /** What it is about, on one line. */
  readonly words: string;
  readonly isRequired: boolean;
  readonly preset?: FieldValue | undefined;
};

const Choice = z.looseObject({ const: z.string(), title: z.string().optional() });
const Choices = z.looseObject({
  enum: z.array(z.string()).max(200).optional(),
  enumNames: z.array(z.string()).optional(),
  oneOf: z.array(Choice).max(200).optional(),
  anyOf: z.array(Choice).max(200).optional(),
});
const Property = Choices.extend({
  type: z.enum(["string", "number", "integer", "boolean", "array"]),
  title: z.string().optional(),
  description: z.string().optional(),
  items: Choices.optional(),
  default: z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]).optional(),
});
type Property = z.infer<typeof Property>;
const Form = z.looseObject({
  properties: z.record(z.string().min(1).max(100), Property).default({}),
  required: z.array(z.string()).default([]),
});

const MAX_FIELDS = 30;
const LINE = 400;

/** Undefined: it is no form that a person could fill in here. */
export function formFields(schema: unknown): readonly FormField[] | undefined {
  const form = Form.safeParse(schema);
  if (!form.success) return undefined;
  const { properties, required } = form.data;
  const fields = Object.entries(properties).map(([name, property]) => fieldOf(name, property, required.includes(name)));
  return fields.length > MAX_FIELDS ? undefined : fields;
}

function fieldOf(name: string, property: Property, isRequired: boolean): FormField {
  const { title, description, default: preset } = property;
  const words = [title, description].filter((text) => text !== undefined).join(": ");
  return { ...kindOf(property), name, words: oneLine(harmless(words), LINE), isRequired, preset };
}

function kindOf(property: Property): FieldKind {
  if (property.type === "array") return { kind: "several", options: optionsOf(property.items ?? {}) };
  if (property.type !== "string") return { kind: property.type };
  const options = optionsOf(property);
  return options.length === 0 ? { kind: "text" } : { kind: "one", options };
}

function optionsOf({ enum: values = [], enumNames = [], oneOf, anyOf }: z.infer<typeof Choices>): Option[] {
  const told = oneOf ?? anyOf;
  if (told !== undefined) return told.map(({ const: value, title = value }) => ({ value, title }));
  return values.map((value, at) => ({ value, title: enumNames[at] ?? value }));
}
