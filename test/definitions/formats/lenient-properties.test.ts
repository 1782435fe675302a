import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { claude } from "../../../src/definitions/formats/claude.ts";
import { copilot } from "../../../src/definitions/formats/copilot.ts";
import type { Format, Reading } from "../../../src/definitions/formats/format.ts";
import { gemini } from "../../../src/definitions/formats/gemini/gemini.ts";
import { writeGeminiMarkdown } from "../../../src/definitions/formats/gemini/markdown.ts";
import { writePersona } from "../../../src/definitions/formats/gemini/persona.ts";
import { writeGeminiToml } from "../../../src/definitions/formats/gemini/toml.ts";
import { gencode } from "../../../src/definitions/formats/gencode.ts";
import { qwen } from "../../../src/definitions/formats/qwen.ts";
import { DELEGATION_TOOLS, namesWithin, type ToolDialect, TOOLS } from "../../../src/domain/tool-names.ts";
import { AgentDefinition } from "../../../src/schema/index.ts";
import { anyDefinition } from "../any-definition.ts";

const FORMATS = [claude, gencode, qwen, gemini, copilot] as const;
const ids = FORMATS.map((format) => [format.id, format] as const);

const readBack = (format: Format, definition: AgentDefinition): Reading => {
  const written = format.write?.(definition);
  const [reading] = format.read({ path: "", below: written?.file ?? "", text: written?.text ?? "" });
  return reading ?? { ok: false, problem: "nothing came back" };
};

const trimmed = (unit: "grapheme" | "binary") =>
  fc.string({ unit, maxLength: 40 }).map((text) => text.replaceAll("\r", " ").toWellFormed().trim());
const text = fc.oneof(
  trimmed("grapheme"),
  trimmed("binary"),
  fc.constantFrom("a: b", "# c", "- x\n---\ny", "yes", "${query}x", "'\""),
);
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const toolsOf = (dialect: ToolDialect) =>
  fc.subarray([
    ...TOOLS.filter((tool) => !DELEGATION_TOOLS.has(tool) && namesWithin(dialect, [tool]).size > 0),
    "mcp__github__search_code",
    "mcp__files__*",
  ]);

const common = {
  name: fc.stringMatching(/^[a-z0-9_][a-z0-9_-]{0,20}$/),
  description: text.filter((one) => one !== ""),
  prompt: text,
};
const turns = { max_turns: optional(fc.integer({ min: 1, max: 1000 })) };
const listed = (dialect: ToolDialect) =>
  fc.oneof(
    toolsOf(dialect),
    fc.constant(undefined),
    fc
      .subarray(["Read", "Bash", "Grep", "Unheard"], { minLength: 1 })
      .map((deny) => ({ mode: "denylist" as const, deny })),
  );
const modes = fc.constantFrom("plan", "default", "acceptEdits", "auto");

/** What each format can say. */
const SAYABLE: Readonly<Record<string, fc.Arbitrary<object>>> = {
  claude: fc.record({
    ...common,
    ...turns,
    tools: listed("claude"),
    permission_mode: fc.oneof(modes, fc.constant("denyUnasked")),
    model: fc.constantFrom("inherit", "haiku", "claude-x"),
    effort: optional(fc.constantFrom("low", "medium", "high", "xhigh", "max")),
    background: fc.boolean(),
  }),
  gencode: fc.record({
    ...common,
    ...turns,
    tools: listed("gencode"),
    permission_mode: modes,
    model: fc.constantFrom("inherit", "opus"),
  }),
  qwen: fc.record({
    ...common,
    ...turns,
    tools: listed("qwen"),
    permission_mode: modes,
    model: fc.constantFrom("inherit", "fast", "openai:m"),
    timeout_mins: optional(fc.integer({ min: 1, max: 99 })),
    background: fc.boolean(),
  }),
  gemini: fc.record({
    ...common,
    ...turns,
    display_name: optional(text.filter((one) => one !== "")),
    tools: fc.oneof(toolsOf("gemini"), fc.constant(undefined)),
    model: fc.constantFrom("inherit", "gemini-x", "flash"),
    temperature: optional(fc.constantFrom(0, 0.5, 2)),
    timeout_mins: optional(fc.integer({ min: 1, max: 99 })),
  }),
  copilot: fc.record({
    ...common,
    tools: fc.oneof(toolsOf("copilot"), fc.constant(undefined)),
    model: fc.constantFrom("inherit", "gpt-5"),
    effort: optional(fc.constantFrom("low", "high")),
    capabilities: fc.constantFrom(["subtask"], ["primary"]),
  }),
};

/** The order of tools means nothing, and where an agent may write follows from its tools and mode. */
const comparable = (definition: AgentDefinition): object => ({
  ...definition,
  tools: Array.isArray(definition.tools) ? definition.tools.toSorted() : definition.tools,
  workspace: null,
  inputs: [], // Gemini's own input is declared by reading
});

describe.each(ids)("%s", (id, format) => {
  it("gives back everything that it can say", () => {
    fc.assert(
      fc.property(SAYABLE[id] ?? fc.constant({}), (fields) => {
        const definition = AgentDefinition.parse(JSON.parse(JSON.stringify(fields)));
        const reading = readBack(format, definition);
        expect(reading.ok ? comparable(reading.definition) : reading.problem).toEqual(comparable(definition));
      }),
      { numRuns: 100 },
    );
  });

  it("says the same the second time, whatever it was given", () => {
    let read = 0;
    fc.assert(
      fc.property(anyDefinition, (definition) => {
        const first = readBack(format, definition);
        if (!first.ok) return;
        read += 1;
        const second = readBack(format, first.definition);
        expect(second.ok ? second.definition : second.problem).toEqual(first.definition);
      }),
      { numRuns: 100 },
    );
    expect(read).toBeGreaterThan(25);
  });

  const KEYS = [
    "name",
    "description",
    "tools",
    "disallowedTools",
    "model",
    "permissionMode",
    "permission-mode",
    "approvalMode",
  ];
  const MORE = [
    "maxTurns",
    "hooks",
    "memory",
    "isolation",
    "runConfig",
    "inputs",
    "query",
    "infer",
    "effort",
    "x",
    "__proto__",
  ];
  const settings = fc.dictionary(
    fc.constantFrom(...KEYS, ...MORE),
    fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.constantFrom("a", "plan", ["Read"])),
  );

  it("reads any settings without throwing, as something that the schema takes", () => {
    fc.assert(
      fc.property(settings, fc.string(), (given, body) => {
        const file = `---\n${JSON.stringify({ name: "a", description: "d", ...given })}\n---\n${body}`;
        for (const reading of format.read({ path: "", below: "a.md", text: file })) expectSound(reading);
      }),
      { numRuns: 100 },
    );
    expect("polluted" in {}).toBe(false);
  });

  it("reads any bytes, and files with any bytes in them, without throwing", () => {
    const whole = '---\nname: a\ndescription: "b: c"\ntools: [Read]\nhooks:\n  Stop: &x [1, *x]\n---\n\n# Body\n';
    const broken = fc
      .tuple(fc.nat({ max: whole.length }), fc.nat({ max: 20 }), fc.string({ unit: "binary", maxLength: 10 }))
      .map(([at, length, put]) => whole.slice(0, at) + put + whole.slice(at + length));
    const toml = fc.string({ maxLength: 40 }).map((some) => `name = "a"\ndescription = "b"\n${some}`);
    fc.assert(
      fc.property(
        fc.oneof(broken, fc.string({ unit: "binary" }), toml),
        fc.constantFrom("a.md", "a.toml", "a.json"),
        (bytes, below) => {
          for (const reading of format.read({ path: "", below, text: bytes })) expectSound(reading);
        },
      ),
      { numRuns: 150 },
    );
  });

  it.each([
    ["a bomb of aliases", `a: &a [1]\n${"b: [*a, *a]\n".repeat(30)}`],
    ["a deep list", `a: ${"[".repeat(2000)}${"]".repeat(2000)}`],
    ["deep maps", `a: ${"{b: ".repeat(300)}1${"}".repeat(300)}`],
    ["brackets", "}".repeat(60_000)],
    ["thousands of keys", Array.from({ length: 4000 }, (_, i) => `k${i}: 1`).join("\n")],
    ["one key thousands of times", "tools: Read\n".repeat(4000)],
    ["thousands of tools", `tools: [${Array.from({ length: 4000 }, (_, i) => `t${i}`).join(", ")}]`],
    ["thousands of rules", `disallowedTools: ${Array.from({ length: 4000 }, (_, i) => `Bash(r${i})`).join(" ")}`],
    ["prototypes", "__proto__: {polluted: 1}\nconstructor: {prototype: {polluted: 1}}"],
    ["a long line", `a: ${" ".repeat(50_000)}\u2028: x`],
  ])("bounds %s", (_, yaml) => {
    const readings = format.read({ path: "", below: "a.md", text: `---\nname: a\ndescription: d\n${yaml}\n---\nBody` });
    expect(readings).toHaveLength(1);
    for (const reading of readings) expectSound(reading);
    expect("polluted" in {}).toBe(false);
  });
});

function faultOf(reading: Reading): string {
  if (!reading.ok) return /^[^\n]{1,200}$/.test(reading.problem) ? "none" : `problem: ${reading.problem}`;
  if (!AgentDefinition.safeParse(reading.definition).success) return "no definition";
  if (reading.remarks.length >= 100) return `${reading.remarks.length} remarks`;
  return reading.remarks.find(({ message }) => message.length > 400)?.field ?? "none";
}

const expectSound = (reading: Reading): void => expect(faultOf(reading)).toBe("none");

describe("Gemini's other forms", () => {
  it("of TOML give back everything that they can say", () => {
    const fields = fc.tuple(
      SAYABLE["gemini"] ?? fc.constant({}),
      fc.record({ query: optional(text.filter((one) => one !== "")), top_p: optional(fc.constantFrom(0, 1)) }),
    );
    fc.assert(
      fc.property(fields, ([one, two]) => {
        const definition = AgentDefinition.parse(JSON.parse(JSON.stringify({ ...one, ...two })));
        const { file, text: toml } = writeGeminiToml(definition);
        const [reading] = gemini.read({ path: "", below: file, text: toml });
        expect(reading?.ok === true ? comparable(reading.definition) : reading?.problem).toEqual(
          comparable(definition),
        );
      }),
    );
  });

  it("are written for any agent", () => {
    fc.assert(
      fc.property(anyDefinition, fc.jsonValue(), (definition, odd) => {
        const x = {
          gemini: JSON.parse(JSON.stringify({ odd, persona: odd, body: odd, run_table: odd, tools: odd })) as never,
        };
        for (const write of [writeGeminiToml, writePersona, writeGeminiMarkdown]) {
          expect(write({ ...definition, x }).text).toContain(definition.name.toLowerCase());
        }
      }),
    );
  });

  it("of a persona give back name, description and prompt", () => {
    fc.assert(
      fc.property(fc.record({ ...common, prompt: common.description }), (fields) => {
        const { file, text: json } = writePersona(AgentDefinition.parse(fields));
        expect(gemini.read({ path: "", below: file, text: json })).toMatchObject([{ ok: true, definition: fields }]);
      }),
    );
  });
});
