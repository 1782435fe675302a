import { isDeepStrictEqual } from "node:util";
import * as z from "zod";

type Schema = z.core.$ZodType;

/** A value that validation has filled in, less what it would fill in again; maps in the order of the schema. */
export function withoutDefaults(schema: Schema, value: unknown): unknown {
  if (schema instanceof z.ZodOptional) return withoutDefaults(schema.unwrap(), value);
  if (schema instanceof z.ZodDefault) {
    return isDeepStrictEqual(value, schema.def.defaultValue) ? undefined : withoutDefaults(schema.unwrap(), value);
  }
  if (schema instanceof z.ZodUnion) {
    const fitting = schema.options.find((option) => z.safeParse(option, value).success);
    return fitting === undefined ? value : withoutDefaults(fitting, value);
  }
  if (schema instanceof z.ZodArray && Array.isArray(value)) {
    return value.map((item) => withoutDefaults(schema.element, item));
  }
  if (schema instanceof z.ZodRecord && typeof value === "object" && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, withoutDefaults(schema.valueType, item)]),
    );
  }
  return schema instanceof z.ZodObject && typeof value === "object" && value !== null ? lean(schema, value) : value;
}

const lean = ({ shape }: z.ZodObject, value: object): object =>
  Object.fromEntries(
    Object.entries<Schema>(shape)
      .map(([key, schema]) => [key, withoutDefaults(schema, Reflect.get(value, key))])
      .filter(([, kept]) => kept !== undefined),
  );
