import { describe, expect, test } from "vitest";
import { manifestTemplate } from "../../../src/tools/manifest/manifest-template.ts";
import { readManifest } from "../../../src/tools/manifest/read-manifest.ts";

const problems = (text: string, folder = "t"): readonly string[] => {
  const read = readManifest(text, "tool.yml", folder);
  return read.ok ? [] : read.problems;
};

const GOOD = "name: t\ndescription: d\n";

describe("a manifest", () => {
  test("has defaults for all that is not said", () => {
    expect(readManifest(`${GOOD}command: [ls]\n`, "tool.yml", "t")).toEqual({
      ok: true,
      manifest: {
        name: "t",
        description: "d",
        inputs: [],
        command: ["ls"],
        stdin: "none",
        env: [],
        timeout_ms: 60_000,
        effect: "exec",
        output: "text",
        max_output_kb: 100,
      },
    });
  });

  test("as `tools new` writes it can be read", () => {
    expect(problems(manifestTemplate("my-tool"), "my-tool")).toEqual([]);
  });

  test.each([
    [
      `${GOOD}comand: [ls]\n`,
      ["tool.yml:1:1: command: ", 'tool.yml:3:1: unknown key "comand"; did you mean "command"?'],
    ],
    [`${GOOD}command: true\n`, ["tool.yml:3:1: command: "]],
    [`${GOOD}command: [ls, 5]\n`, ["tool.yml:3:15: command.1: "]],
    [`${GOOD}command: []\n`, ["tool.yml:3:1: command: "]],
    [`${GOOD}command: [ls]\ntimeout_ms: 1\n`, ["tool.yml:4:1: timeout_ms: "]],
    [`${GOOD}command: [ls]\neffect: none\n`, ["tool.yml:4:1: effect: "]],
    [`${GOOD}command: [ls]\ninputs:\n  - name: a\n  - name: a\n`, ["two inputs have one name"]],
    [`${GOOD}command: [ls]\ninputs:\n  - name: a\n    kind: x\n`, ['tool.yml:6:5: unknown key "kind"']],
    ["name: other\ndescription: d\ncommand: [ls]\n", ['tool.yml:1:1: the name must be that of its folder, "t"']],
    ["", ["the file is empty"]],
    ["- a\n", ["must hold a map"]],
    ["a: [", ["tool.yml:1:"]],
    [`${GOOD}description: e\ncommand: [ls]\n`, ["tool.yml:3:1: "]],
    [`${GOOD}x: &a [ls]\ncommand: *a\n`, ["aliases"]],
    [`${GOOD}command: !!js/function [ls]\n`, ["tool.yml:3:"]],
    [`name: t\ndescription: d\ncommand: [ls]\n__proto__: { a: 1 }\n`, ["tool.yml:4:1: "]],
  ])("%j is refused at its place", (text, says) => {
    const found = problems(text);
    expect(found.length).toBeGreaterThan(0);
    for (const part of says) expect(found.join("\n")).toContain(part);
  });

  test.each(["Bash", "webfetch", "mcp__a__b", "5x", "a b", "../x", "a/b"])("may not be called %j", (name) => {
    expect(problems(`name: ${JSON.stringify(name)}\ndescription: d\ncommand: [ls]\n`, name).join()).toContain("name: ");
  });

  const INPUT = "inputs: [{ name: x }]\n";

  test.each([
    ['["${x}", a]', "tool.yml:4:11: the program itself cannot come from an input"],
    ['[echo, "${y}"]', "tool.yml:4:17: ${y} is no input of this tool"],
    ['[sh, -c, "echo ${x}"]', "sh would run the value as code"],
    ['[/bin/bash, -ec, "echo ${x}"]', "bash would run the value as code"],
    ['[bash, --norc, -c, "${x}"]', "bash would run the value as code"],
    ['[node, -e, "f(${x})"]', "node would run the value as code"],
    ['[node, "--eval=${x}"]', "node would run the value as code"],
    ['[python3.12, -c, "${x}"]', "python3.12 would run the value as code"],
    ['[perl, -ne, "${x}"]', "perl would run the value as code"],
  ])("with the command %s is refused", (command, says) => {
    expect(problems(`${GOOD}${INPUT}command: ${command}\n`).join("\n")).toContain(says);
  });

  test.each(['[sh, -c, \'echo "$1"\', sh, "${x}"]', '[grep, -e, "${x}"]', '[git, -c, "${x}"]', '[node, x.js, "${x}"]'])(
    "with the command %s is not",
    (command) => {
      expect(problems(`${GOOD}${INPUT}command: ${command}\n`)).toEqual([]);
    },
  );

  test("without inputs has no places", () => {
    expect(problems(`${GOOD}command: [echo, "\${HOME}"]\n`).join()).toContain("${HOME} is no input");
    expect(problems(`${GOOD}stdin: { text: "\${x}" }\ncommand: [cat]\n`).join()).toContain("tool.yml:3:10: ${x}");
  });
});
