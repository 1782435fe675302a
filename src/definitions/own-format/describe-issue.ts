// What validation found, in the words of somebody who writes YAML.
import type * as z from "zod";
import { nearest } from "../../domain/nearest.ts";
import { didYouMean, show } from "./show.ts";

export type Issue = z.core.$ZodIssue;

const KINDS: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "a map",
  record: "a map",
};

/** To be read after the name of the value: `must be text, not 5`. */
export function describeIssue(issue: Issue, value: unknown): string {
  if (value === null) return "is empty";
  switch (issue.code) {
    case "invalid_type":
      return `must be ${kindOf(issue)}, not ${show(value)}${quotesHint(issue.expected, value)}`;
    case "invalid_union":
      return `must be ${alternatives(issue.errors)}, not ${show(value)}`;
    case "invalid_value":
      return describeChoice(issue.values, value);
    case "too_small":
      return isCounted(issue.origin)
        ? "must not be empty"
        : `must be ${bound(issue, "at least", "above", issue.minimum)}, not ${show(value)}`;
    case "too_big":
      return `must be ${bound(issue, "at most", "below", issue.maximum)}, not ${show(value)}`;
    case "invalid_format":
    case "invalid_key":
    case "invalid_element":
    case "not_multiple_of":
    case "unrecognized_keys":
    case "custom":
      return `cannot be ${show(value)}: ${issue.message}`;
  }
}

const kindOf = ({ expected }: z.core.$ZodIssueInvalidType): string => KINDS[expected] ?? expected;

const quotesHint = (expected: string, value: unknown): string =>
  expected === "string" && typeof value !== "object" ? " (put it in quotes to make it text)" : "";

const alternatives = (branches: readonly (readonly Issue[])[]): string => {
  const kinds = branches.flat().flatMap((issue) => (issue.code === "invalid_type" ? [kindOf(issue)] : []));
  return [...new Set(kinds)].join(" or ");
};

function describeChoice(choices: readonly unknown[], value: unknown): string {
  const guess =
    typeof value === "string"
      ? nearest(
          value,
          choices.filter((choice) => typeof choice === "string"),
        )
      : undefined;
  const wanted = choices.length === 1 ? show(choices[0]) : `one of ${choices.map(show).join(", ")}`;
  return `must be ${wanted}, not ${show(value)}${didYouMean(guess)}`;
}

const isCounted = (origin: string): boolean => origin === "string" || origin === "array";

const bound = (
  { inclusive }: { readonly inclusive?: boolean },
  within: string,
  beyond: string,
  limit: number | bigint,
) => `${inclusive === true ? within : beyond} ${limit}`;
