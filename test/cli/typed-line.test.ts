import { expect, test } from "vitest";
import { typedLine } from "../../src/cli/typed-line.ts";

test.each([
  ['coder-agent "Create a file"', "coder-agent", "Create a file"],
  ["coder-agent Create a file ", "coder-agent", "Create a file"],
  ['  coder-agent   "a" and "b" more', "coder-agent", '"a" and "b" more'],
  ['coder-agent "two\nlines"', "coder-agent", "two\nlines"],
  ['x "', "x", '"'],
  ["--help", "--help", ""],
  ["alone", "alone", ""],
  ["", "", ""],
])("%j", (line, agent, prompt) => {
  expect(typedLine(line)).toEqual({ agent, prompt });
});
