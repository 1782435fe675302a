import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readAgentMarkdown, readAgentYaml } from "../../src/definitions/own-format/read-agent.ts";
import { writeAgentMarkdown, writeAgentYaml } from "../../src/definitions/own-format/write-agent.ts";
import { AgentDefinition } from "../../src/schema/index.ts";
import { anyDefinition } from "./any-definition.ts";

const define = (fields: Record<string, unknown>): AgentDefinition =>
  AgentDefinition.parse({ name: "reviewer", description: "Reads code", ...fields });

describe("a definition that is written", () => {
  it("is only what somebody would have to say, in a fixed order, without the defaults", () => {
    const definition = define({
      max_turns: 5,
      prompt: "You review.\nBe kind.",
      tools: { mode: "allowlist", allow: ["Read", "Bash(git diff *)"] },
      workspace: { allow_writes: true },
      inputs: [{ name: "target", required: true }],
      x: { claude: { color: "red" } },
    });
    expect(writeAgentYaml(definition)).toBe(
      [
        "name: reviewer",
        "description: Reads code",
        "prompt: |-",
        "  You review.",
        "  Be kind.",
        "inputs:",
        "  - name: target",
        "    required: true",
        "tools:",
        "  mode: allowlist",
        "  allow:",
        "    - Read",
        "    - Bash(git diff *)",
        "workspace:",
        "  allow_writes: true",
        "max_turns: 5",
        "x-claude:",
        "  color: red",
        "",
      ].join("\n"),
    );
    expect(writeAgentMarkdown(define({ prompt: "You review." }))).toBe(
      "---\nname: reviewer\ndescription: Reads code\n---\n\nYou review.\n",
    );
  });

  it("keeps a body that is for readers apart from the prompt", () => {
    const text = "---\ndescription: d\nsystem_prompt: Do it.\n---\n# How we use it\n\nSparingly.\n";
    const read = readAgentMarkdown(text, "reviewer.md");
    if (!read.ok) throw new Error("not read");
    expect(read.definition).toMatchObject({
      prompt: "Do it.",
      x: { cadre: { body: "# How we use it\n\nSparingly." } },
    });
    const written = writeAgentMarkdown(read.definition);
    expect(written).toBe("---\nname: reviewer\ndescription: d\nprompt: Do it.\n---\n\n# How we use it\n\nSparingly.\n");
  });

  const awkward = [
    "",
    " ",
    "\n",
    "a\r\nb",
    " leading\nblank",
    "trailing \nblank",
    "tab\there\n\tthere",
    "---\nfence\n---",
    "# no comment",
    "a: b",
    "null",
    "~",
    "true",
    "0x10",
    "1e3",
    "- item",
    "*alias",
    "&anchor",
    "!tag",
    "%directive",
    "'quoted'",
    '"quoted"',
    "{flow}",
    "[flow]",
    "\u2028",
    "\uFEFFmark",
    "\u0000",
    "\u0085",
    "emoji 🙂",
    "\uD800",
    "long ".repeat(100),
    "a\n\n\nb\n\n",
    "ends: ",
    "? key",
    "| block",
    "> folded",
    "=",
    "<<",
    ".inf",
    "2026-01-01",
    "é́",
    "a #b",
    "a\n b\n  c",
    "\ta\nb",
    "\0\0\n\0\0\n \n\0\0\0\0\0",
  ];

  it.each(awkward)("is the same when it is read: %j", (text) => {
    const definition = define({
      prompt: text,
      display_name: text,
      x: { cadre: { body: text }, other: { [text]: [text] } },
    });
    expect(readAgentYaml(writeAgentYaml(definition), "x.yml")).toMatchObject({ ok: true, definition });
    expect(readAgentMarkdown(writeAgentMarkdown(definition), "x.md")).toMatchObject({ ok: true, definition });
    const plain = define({ prompt: text });
    expect(readAgentMarkdown(writeAgentMarkdown(plain), "x.md")).toMatchObject({ ok: true, definition: plain });
  });

  it("is the same when it is read, whatever it holds", () => {
    fc.assert(
      fc.property(anyDefinition, (definition) => {
        for (const read of [
          readAgentYaml(writeAgentYaml(definition), "x.yml"),
          readAgentMarkdown(writeAgentMarkdown(definition), "x.md"),
        ]) {
          expect(read).toEqual(expect.objectContaining({ ok: true, definition }));
        }
      }),
      { numRuns: 300 },
    );
  });

  it("is the same text again when it is written again", () => {
    fc.assert(
      fc.property(anyDefinition, (definition) => {
        const text = writeAgentMarkdown(definition);
        const read = readAgentMarkdown(text, "x.md");
        expect(read.ok && writeAgentMarkdown(read.definition)).toBe(text);
      }),
      { numRuns: 200 },
    );
  });
});
