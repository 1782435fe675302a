// Whatever a file holds: no format throws, and what it cannot read is one line.
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Format, FormatId } from "../../../src/definitions/formats/format.ts";
import { loadFormat } from "../../../src/definitions/formats/index.ts";

const FILES: readonly (readonly [FormatId, string, string])[] = [
  [
    "codex",
    "a.toml",
    'name = "a"\ndescription = "d"\ndeveloper_instructions = """\nx\n"""\n[features]\nshell_tool = false\n',
  ],
  [
    "codex",
    "config.toml",
    '[agents.a]\ndescription = "d"\ndeveloper_instructions = "x"\n[agents.b]\nconfig_file = "y"\n',
  ],
  [
    "opencode",
    "a/b.md",
    "---\ndescription: d\npermission: { '*': deny, bash: { 'git *': ask } }\ntools: { x: true }\n---\np\n",
  ],
  ["opencode", "opencode.jsonc", '{"agent": {"a": {"prompt": "p", "permission": {"edit": "deny"}}, "b": {}}}'],
  ["glee", "a.yml", "name: a\ndescription: d\nprompt: p\ninputs: [{name: x, default: 1}]\ntools: [read_file]\n"],
  ["cursor", "a.md", "---\nname: a\nmodel: x[effort=high]\nreadonly: true\n---\np\n"],
  ["factory", "a.md", "---\nname: a\ntools: [Read, execute, mcp__x__y]\nreasoningEffort: low\n---\np\n"],
  [
    "kiro",
    "a.md",
    "---\ntools: [read, '@x/y']\npermissions: [{capability: shell, effect: deny, match: [a], exclude: [b]}]\n---\np\n",
  ],
  [
    "kiro",
    "a.json",
    '{"tools": ["*"], "allowedTools": ["fs_*"], "toolsSettings": {"shell": {"deniedCommands": ["(a)+$"]}}}',
  ],
  ["goose", "a.md", "---\nname: a\nmodel: x\ntools: Read\n---\np\n"],
  [
    "goose",
    "a.yaml",
    "title: t\ninstructions: 'x {{ k }}'\nparameters: [{key: k, default: 1}]\nextensions: [{type: builtin, name: developer}]\n",
  ],
  [
    "roo",
    ".roomodes",
    "customModes: [{slug: a, roleDefinition: r, groups: [read, [edit, {fileRegex: x}]]}, {slug: b}]\n",
  ],
  [
    "yeet",
    "a.json",
    '{"prompt": "p", "tools": {"bash": "ask"}, "workspace": {"mode": "sandbox"}, "capabilities": {"watcher": true}}',
  ],
  ["yeet", "config.json", '{"agents": {"a": {"prompt": "p"}, "b": 1}}'],
];

const MAX_READINGS = 10_000;

/** What is wrong with how a format takes a text; nothing, whatever the text is. */
function faults(format: Format, below: string, text: string): string[] {
  const readings = format.read({ path: below, below, text });
  if (readings.length > MAX_READINGS) return ["too many agents"];
  return readings.flatMap((reading) => {
    if (!reading.ok) return /^[^\n\r]{1,200}$/.test(reading.problem) ? [] : [`not one line: ${reading.problem}`];
    const written = format.write?.(reading.definition);
    if (written === undefined) return [];
    const name = written.file;
    const [again] = format.read({ path: name, below: name, text: written.text });
    return [
      ...(/(?:^|\/)\.\.(?:\/|$)|^\//.test(name) ? [`a file elsewhere: ${name}`] : []),
      ...(again?.ok === true && again.definition.name === reading.definition.name ? [] : ["cannot be read again"]),
    ];
  });
}

const expectCalm = (format: Format, below: string, text: string): void =>
  expect(faults(format, below, text)).toEqual([]);

/** A part of the text replaced by something else. */
const damage = (text: string) =>
  fc
    .tuple(
      fc.nat(text.length),
      fc.nat(12),
      fc.oneof(
        fc.string({ unit: "binary", maxLength: 8 }),
        fc.constantFrom(
          "[",
          "{",
          ": ",
          "\n",
          "null",
          "&a *a",
          "__proto__: 1\n",
          "constructor",
          "-",
          '"',
          "'",
          "*",
          "true",
          "1e999",
        ),
      ),
    )
    .map(([at, length, insert]) => text.slice(0, at) + insert + text.slice(at + length));

describe.each(FILES)("a file of %s (%s)", (id, below, text) => {
  it("is read as it stands, and written", async () => {
    const format = await loadFormat(id);
    expect(format.read({ path: below, below, text }).some(({ ok }) => ok)).toBe(true);
    expectCalm(format, below, text);
  });

  it("never throws when it is damaged, or anything else altogether", async () => {
    const format = await loadFormat(id);
    fc.assert(
      fc.property(fc.oneof(damage(text), damage(text).chain(damage), fc.string({ unit: "binary" })), (other) => {
        expectCalm(format, below, other);
      }),
      { numRuns: 150 },
    );
  });

  it.each([
    ["more than a megabyte", "x".repeat(1024 * 1024 + 1)],
    ["nested a thousand times", `${"[".repeat(1000)}${"]".repeat(1000)}`],
    ["nested in maps", `${'{"a":'.repeat(500)}1${"}".repeat(500)}`],
    ["nothing", ""],
    ["a mark only", "\uFEFF"],
    ["zeros", "\0".repeat(100)],
  ])("that holds %s is no agent", async (_, other) => {
    const format = await loadFormat(id);
    for (const wrapped of [other, `---\n${other}\n---\n`, `---\na: ${other}`, `a = ${other}`]) {
      const readings = format.read({ path: below, below, text: wrapped });
      expect(readings.length).toBeLessThan(2);
      expectCalm(format, below, wrapped);
    }
  });
});

it("aliases cannot make a bomb of a file", async () => {
  const levels = Array.from({ length: 12 }, (_, index) => `a${index + 1}: &a${index + 1} [${`*a${index},`.repeat(9)}]`);
  const bomb = `a0: &a0 x\n${levels.join("\n")}\n`;
  for (const [id, below, head] of [
    ["glee", "a.yml", ""],
    ["roo", ".roomodes", ""],
    ["goose", "a.yaml", ""],
    ["opencode", "a.md", "---\n"],
  ] as const) {
    const format = await loadFormat(id);
    const readings = format.read({ path: below, below, text: `${head}${bomb}${head}` });
    expect(readings).toEqual([{ ok: false, problem: expect.stringContaining("aliases") }]);
  }
});
