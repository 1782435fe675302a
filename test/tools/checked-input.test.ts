// What a model is told of an input that a tool does not take: the whole of what it must be, both ends of a range too.
import { expect, test } from "vitest";
import * as z from "zod";
import { checkInput } from "../../src/tools/checked-input.ts";
import type { Json } from "../../src/schema/index.ts";

const problemOf = (field: z.ZodType, value: Json | undefined): string => {
  const checked = checkInput("Tool", z.strictObject({ field }), value === undefined ? {} : { field: value });
  return checked.ok ? "" : checked.problem;
};

const table: readonly [z.ZodType, Json | undefined, string][] = [
  [z.string().min(2).max(400), "x", '`field` must be a text of a length ≥ 2 and ≤ 400, got "x"'],
  [z.string().min(2), "x", '`field` must be a text of a length ≥ 2, got "x"'],
  [z.string().min(1).max(9), "", '`field` must be a text that is not empty, of a length ≤ 9, got ""'],
  [z.string().max(3), "long", '`field` must be a text of a length ≤ 3, got "long"'],
  [z.array(z.string()).min(2).max(10), ["a"], '`field` must be a list of a length ≥ 2 and ≤ 10, got ["a"]'],
  [z.array(z.string()).min(1), [], "`field` must be a list that is not empty, got []"],
  [z.int().max(5), 6, "`field` must be a whole number ≤ 5, got 6"],
  [z.int(), "x", '`field` must be a whole number, got "x"'],
  [z.number().min(0).max(1), 2, "`field` must be a number ≥ 0 and ≤ 1, got 2"],
  [z.record(z.string(), z.string()), 7, "`field` must be an object, got 7"],
  [z.union([z.string(), z.number()]), true, "`field` must be a text or a number, got true"],
  [z.string(), undefined, "`field` is missing: it must be a text"],
];

test.each(table)("%#", (field, value, words) => expect(problemOf(field, value)).toBe(words));
