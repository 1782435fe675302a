// Numbers as they are typed. Whatever is wrong with one, the answer is what its option takes.
import * as z from "zod";

export function wholeNumber(min: number, max?: number) {
  const error =
    max === undefined ? `takes a whole number, ${min} or more` : `takes a whole number from ${min} to ${max}`;
  const number = z.coerce.number({ error }).int({ error }).min(min, { error });
  return max === undefined ? number : number.max(max, { error });
}

export function numberAbove(min: number) {
  const error = `takes a number above ${min}`;
  return z.coerce.number({ error }).gt(min, { error });
}

export function numberFrom(min: number) {
  const error = `takes a number, ${min} or more`;
  return z.coerce.number({ error }).gte(min, { error });
}
