import { describe, expect, it } from "vitest";
import { readAgentText } from "../../src/definitions/own-format/read-agent-text.ts";

const withSchema = (schema: string): string => `description: d\noutput:\n  schema: ${schema}\n`;

async function problemsOf(schema: string): Promise<string[]> {
  const read = await readAgentText(withSchema(schema), "a.yml");
  return read.ok ? [] : read.problems.map(({ line, column, message }) => `${line}:${column}: ${message}`);
}

describe("a pattern in an output schema", () => {
  it("that can be run in linear time is accepted", async () => {
    expect(await problemsOf("{type: string, pattern: '^[a-z]+(?:-[a-z]+)*$'}")).toEqual([]);
    expect(await problemsOf("{patternProperties: {'^x-': {type: string}}}")).toEqual([]);
  });

  it.each(["(?=a)b", "(?!a)b", "(?<=a)b", "(a)\\\\1", "(", "[z-a]"])(
    "that cannot is refused at its place: %s",
    async (bad) => {
      const pattern = JSON.parse(`"${bad}"`) as string;
      expect(await problemsOf(`{properties: {a: {pattern: "${bad}"}}}`)).toEqual([
        expect.stringMatching(/^3:38: .*: there are no lookarounds and backreferences$/),
      ]);
      expect(await problemsOf(`{properties: {a: {pattern: "${bad}"}}}`)).toEqual([
        expect.stringContaining(`the pattern ${JSON.stringify(pattern)} cannot be run (`),
      ]);
    },
  );

  it("is looked for wherever a schema may stand", async () => {
    expect(await problemsOf('{items: {anyOf: [{type: string}, {pattern: "(?=a)"}]}}')).toHaveLength(1);
    expect(await problemsOf('{$defs: {pattern: {pattern: "(?=a)"}}}')).toHaveLength(1);
    expect(await problemsOf('{patternProperties: {"(?=a)": {}, "b": {pattern: "(?=b)"}}}')).toHaveLength(2);
  });

  it("is not what is only called so", async () => {
    expect(await problemsOf("{properties: {pattern: {type: string}}}")).toEqual([]);
    expect(
      await problemsOf('{const: {pattern: "(?=a)"}, enum: [{pattern: "(?=a)"}], default: {pattern: "("}}'),
    ).toEqual([]);
  });
});
