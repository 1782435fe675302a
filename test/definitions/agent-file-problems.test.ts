import { describe, expect, it } from "vitest";
import { NOT_YET } from "../../src/schema/index.ts";
import { definitionIn, markdown, problemsIn } from "./read.ts";

describe("problems", () => {
  const broken = [
    "---",
    "name: bug hunter",
    "descripton: Finds bugs",
    "max_turns: -1",
    "tools:",
    "workspace:",
    "  mode: shard",
    "  allow_writes: 'yes'",
    "  pth: src",
    "retry: {attempts: 11, on: [crash]}",
    "---",
    "Find ${x}.",
  ];
  const expected = [
    '2:7: "bug hunter" cannot be an agent\'s name: 1 to 64 letters, digits, "_" and "-"; try "bug-hunter"',
    '3:1: unknown key "descripton"; did you mean "description"?',
    '4:12: "max_turns" must be above 0, not -1',
    '5:1: "tools" is empty',
    '7:9: "workspace.mode" must be one of "shared", "worktree", "sandbox", "custom", not "shard"; did you mean "shared"?',
    '8:17: "workspace.allow_writes" must be true or false, not "yes"',
    '9:3: unknown key "pth"; did you mean "path"?',
    '10:19: "retry.attempts" must be at most 10, not 11',
    '10:28: "retry.on[0]" must be one of "backend_error", "backend_unavailable", "rate_limited", "crashed", "timeout", not "crash"',
  ];

  it("are named all at once, in order, each at its line and column", () => {
    expect(problemsIn(broken.join("\n"))).toEqual(expected);
  });

  it("are at the same places with carriage returns and with a byte order mark", () => {
    expect(problemsIn(broken.join("\r\n"))).toEqual(expected);
    expect(problemsIn(`\uFEFF${broken.join("\r\n")}`)).toEqual(expected);
  });

  it("are at the right column on the first line after a byte order mark", () => {
    expect(problemsIn("\uFEFFdescripton: d", "a.yml")).toEqual([
      '1:1: unknown key "descripton"; did you mean "description"?',
    ]);
    expect(problemsIn("\uFEFF{description: d, foo: 1}", "a.yml")).toEqual(['1:18: unknown key "foo"']);
  });

  it("of the YAML itself are at the lines of the file", () => {
    const end = "Flow sequence in block collection must be sufficiently indented and end with a ]";
    expect(problemsIn("---\ndescription: d\ntools: [a\n---\nbody")).toEqual([`4:1: ${end}`]);
    expect(problemsIn("---\r\ndescription: d\r\ntools: [a\r\n---\r\nbody")).toEqual([`4:1: ${end}`]);
    expect(problemsIn("\uFEFFdescription: d\ntools: ]\n", "a.yml")).toEqual([
      '2:8: Unexpected flow-seq-end token in YAML stream: "]"',
    ]);
  });

  it("are counted, not listed, beyond a hundred", () => {
    const keys = Array.from({ length: 150 }, (_, index) => `zz${index}: 1`).join("\n");
    const problems = problemsIn(markdown(keys));
    expect(problems).toHaveLength(101);
    expect(problems.at(-1)).toBe("103:1: and 50 more problems");
  });
});

describe("a key", () => {
  it("that nobody knows is named at its own place, with the nearest there is", () => {
    expect(problemsIn(markdown("max_turnz: 3"))).toEqual(['3:1: unknown key "max_turnz"; did you mean "max_turns"?']);
    expect(problemsIn(markdown("policy:\n  fs:\n    reed: []"))).toEqual([
      '5:5: unknown key "reed"; did you mean "read"?',
    ]);
    expect(problemsIn(markdown("inputs:\n  - name: a\n    requird: true"))).toEqual([
      '5:5: unknown key "requird"; did you mean "required"?',
    ]);
    expect(problemsIn(markdown("flavour: salt"))).toEqual(['3:1: unknown key "flavour"']);
  });

  it("that nobody knows still has its value looked at, where it is clear what was meant", () => {
    expect(problemsIn(markdown("max_turnz: many"))).toEqual([
      '3:1: unknown key "max_turnz"; did you mean "max_turns"?',
      '3:12: "max_turns" must be a number, not "many"',
    ]);
    expect(problemsIn(markdown("max_turnz: many\nmax_turns: 3"))).toHaveLength(1);
    expect(problemsIn(markdown("max_turns: 3\nmax_turnz: many"))).toHaveLength(1);
  });

  it.each(NOT_YET)('like "%s", known and still to come, is refused by name', (key) => {
    expect(problemsIn(markdown(`${key}: 1`))).toEqual([`3:1: "${key}" is not supported yet`]);
  });

  it.each(["mcp_servers", "mcp-servers", "mcpServers"])("is known as %s", (key) => {
    expect(problemsIn(markdown(`${key}: {a__b: {command: x}}`))).toHaveLength(1);
  });

  it("that is still to come at the top is unknown elsewhere", () => {
    expect(problemsIn(markdown("workspace: {skills: 1}"))).toEqual(['3:13: unknown key "skills"']);
  });

  it("may not stand there twice, at the top or below", () => {
    expect(problemsIn(markdown("max_turns: 1\nmax_turns: many"))).toEqual(['4:1: "max_turns" stands here twice']);
    expect(problemsIn(markdown("description: again"))).toEqual(['3:1: "description" stands here twice']);
    expect(problemsIn(markdown("output:\n  schema: {a: 1, b: 2, a: 3}"))).toEqual(['4:24: "a" stands here twice']);
  });

  it("that is missing is missed where it should stand", () => {
    expect(problemsIn("---\nname: a\n---\n")).toEqual(['1:1: "description" is missing']);
    expect(problemsIn(markdown("output:\n  name: a"))).toEqual(['3:1: "output.schema" is missing']);
    expect(problemsIn(markdown("inputs:\n  - type: string"))).toEqual(['4:5: "inputs[0].name" is missing']);
  });

  it("must be plain text", () => {
    expect(problemsIn(markdown("? [a]\n: b"))).toEqual(["3:3: a key must be plain text"]);
    expect(definitionIn(markdown("output:\n  schema: {1: one, true: two}")).output?.schema).toEqual({
      "1": "one",
      true: "two",
    });
  });

  it.each(["__proto__", '"__proto__"'])("may not be %s, wherever it stands", (key) => {
    const message = '"__proto__" cannot be a key';
    expect(problemsIn(markdown(`${key}: {max_turns: 1}`))).toEqual([`3:1: ${message}`]);
    expect(problemsIn(markdown(`output:\n  schema:\n    ${key}: 1`))).toEqual([`5:5: ${message}`]);
    expect(problemsIn(markdown(`workspace: {${key}: 1}`))).toEqual([`3:13: ${message}`]);
  });

  it("may have a name that every object has", () => {
    expect(problemsIn(markdown("constructor: 1\ntoString: 2"))).toEqual([
      '3:1: unknown key "constructor"',
      '4:1: unknown key "toString"',
    ]);
    const { output } = definitionIn(markdown("output:\n  schema: {constructor: 1, toString: 2}"));
    expect(Object.entries(output?.schema ?? {})).toEqual([
      ["constructor", 1],
      ["toString", 2],
    ]);
  });
});

describe("a value", () => {
  const wrong: [settings: string, problem: string][] = [
    ["display_name: 5", '3:15: "display_name" must be text, not 5 (put it in quotes to make it text)'],
    ["display_name: [a]", '3:15: "display_name" must be text, not a list'],
    ["max_turns: 1.5", '3:12: "max_turns" must be a whole number, not 1.5'],
    ["timeout_mins: .inf", '3:15: "timeout_mins" must be a number, not Infinity'],
    ["capabilities: []", '3:15: "capabilities" must not be empty'],
    ["backend: 5", '3:10: "backend" must be text or a list, not 5'],
    ["backend: Claude", '3:10: "backend" cannot be "Claude": backend names are lower case'],
    ["backend: [tape, Claude]", '3:17: "backend[1]" cannot be "Claude": backend names are lower case'],
    ["tools: {mode: allow}", '3:15: "tools.mode" must be one of "allowlist", "denylist", not "allow"'],
    ["tools: {allow: []}", '3:1: "tools.mode" is missing'],
    ["policy: {network: maybe}", '3:19: "policy.network" must be true or false or a list, not "maybe"'],
    ["output: {schema: {a: {b: .nan}}}", '3:26: "output.schema.a.b" must be text or a number'],
    ["workspace: ~", '3:12: "workspace" is empty'],
    ["display_name: &name [a]\nprompt: *name", '4:9: "prompt" must be text, not a list'],
  ];

  it.each(wrong)("that does not fit is shown at its place: %s", (settings, problem) => {
    const problems = problemsIn(markdown(settings));
    expect(problems.at(-1)?.startsWith(problem), problems.join("\n")).toBe(true);
  });

  it("of `kind` may be remote one day", () => {
    expect(definitionIn(markdown("kind: local")).kind).toBe("local");
    expect(problemsIn(markdown("kind: remote"))).toEqual(["3:7: remote agents are not supported yet"]);
    expect(problemsIn(markdown("kind: other"))).toEqual(['3:7: "kind" must be "local", not "other"']);
  });

  it("that is long is shown by its beginning", () => {
    expect(problemsIn(markdown(`permission_mode: ${"x".repeat(500)}`))[0]).toMatch(/not "x{60}…"$/);
  });

  it.each(["dontAsk", "dont-ask", "dontask"])(
    "of %s as permission mode is told what the word means to whom",
    (word) => {
      const [problem, ...others] = problemsIn(markdown(`permission_mode: ${word}`));
      expect(others).toEqual([]);
      expect(problem).toMatch(/^3:18: .*"auto" \(everything is allowed, as in GenCode\)/);
      expect(problem).toContain('"denyUnasked" (what is not allowed is denied, as in Claude Code)');
    },
  );
});

describe("a step of a tape", () => {
  const steps: [step: string, problems: string[]][] = [
    ["- write: a.txt", ['4:3: "tape[0].content" is missing']],
    ["- say: hello\n  content: x", ['5:3: "content" does not belong here']],
    ["- say: 5", ['4:8: "tape[0].say" must be text, not 5 (put it in quotes to make it text)']],
    ["- anwser: done", ['4:3: unknown key "anwser"; did you mean "answer"?']],
    ["- shout: hello", ['4:3: unknown key "shout"']],
    ["- hang: false", ['4:9: "tape[0].hang" must be true, not false']],
    ["- hello", ['4:3: "tape[0]" must be a map, not "hello"']],
    ["-", ['4:2: "tape[0]" is empty']],
    ["- together:\n    - read: a\n    - write: b", ['6:7: "tape[0].together[1].content" is missing']],
    [
      "- together: [{write: a}, {write: b}]",
      ['4:14: "tape[0].together[0].content" is missing', '4:26: "tape[0].together[1].content" is missing'],
    ],
  ];

  it.each(steps)("is judged as the step that was meant: %s", (step, problems) => {
    expect(problemsIn(markdown(`tape:\n${step}`))).toEqual(problems);
  });

  it("that is empty is told what it could be", () => {
    expect(problemsIn(markdown("tape:\n- {}"))[0]).toMatch(/^4:3: "tape\[0\]" needs one of "say", "read", /);
    expect(problemsIn(markdown("tape:\n- together: [{}]"))[0]).toMatch(
      /^4:14: "tape\[0\]\.together\[0\]" needs one of "read", /,
    );
  });
});

describe("${…} in a prompt", () => {
  const inputs = "inputs:\n  - name: topic";

  it("must name an input, once there are any", () => {
    expect(definitionIn(markdown(inputs, "On ${topic}, not $${this}.")).prompt).toBe("On ${topic}, not $${this}.");
    expect(problemsIn(markdown(inputs, "One\n\n  on ${topik}, ${topik}\n${style}\n"))).toEqual([
      '8:6: the prompt uses "${topik}", which is no input; did you mean "topic"?',
      '9:1: the prompt uses "${style}", which is no input',
    ]);
  });

  it("is plain text where there are none", () => {
    expect(definitionIn(markdown("inputs: []", "cost: ${x}")).prompt).toBe("cost: ${x}");
  });

  it("is looked at where the prompt stands, and not in a body that is for readers", () => {
    expect(problemsIn(markdown(`${inputs}\nprompt: |\n  \${topic}\n  $\${b} and \${b}`, "${c}"))).toEqual([
      '7:13: the prompt uses "${b}", which is no input',
    ]);
    expect(problemsIn(`description: d\r\nprompt: "a \${b}"\r\ninputs: [{name: topic}]\r\n`, "a.yml")).toEqual([
      '2:12: the prompt uses "${b}", which is no input',
    ]);
  });

  it("that an escape or an alias hides is placed at the prompt", () => {
    expect(problemsIn(markdown(`${inputs}\nprompt: "\\x24{b}"`))).toEqual([
      '5:9: the prompt uses "${b}", which is no input',
    ]);
    expect(problemsIn(markdown(`${inputs}\ndisplay_name: &p "\${b}"\nprompt: *p`))).toEqual([
      '6:9: the prompt uses "${b}", which is no input',
    ]);
  });

  it("is looked at in the query too", () => {
    expect(definitionIn(markdown(`${inputs}\nquery: Look at \${topic}`)).query).toBe("Look at ${topic}");
    expect(problemsIn(markdown(`${inputs}\nquery: Look at \${b}`))).toEqual([
      '5:16: the query uses "${b}", which is no input',
    ]);
  });

  it("is a problem next to others", () => {
    expect(problemsIn(markdown(`${inputs}\nmax_turns: 0`, "${b}"))).toEqual([
      '5:12: "max_turns" must be above 0, not 0',
      '7:1: the prompt uses "${b}", which is no input',
    ]);
  });
});
