import { existsSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fakeClock } from "../../../src/testing/index.ts";
import { eventually, namedPipe, waitingAt } from "../../custody/kit.ts";
import { openTools, said } from "./kit.ts";

const SHOW = "for (const a of process.argv.slice(1)) console.log(JSON.stringify(a))";
const NODE = JSON.stringify(process.execPath);

/** Prints each of its arguments as JSON, on a line. */
const echo = (command: string, more = ""): string =>
  `name: echo\ndescription: Echoes.\ninputs:\n  - name: x\n  - name: n\n    type: integer\n    default: 3\ncommand: [${NODE}, -e, ${JSON.stringify(SHOW)}, --, ${command}]\n${more}`;

const simple = (name: string, rest: string): string => `name: ${name}\ndescription: For tests.\n${rest}\n`;

describe("arguments", () => {
  test("hold their values whole, wherever they stand in them", async () => {
    const { run } = await openTools({ "user/echo/tool.yml": echo('"${x}", "--n=${n}", "$${x}", fixed') });
    expect(said(await run("echo", { x: 'a b; $(rm -rf /) "${n}" `id` *' })).split("\n")).toEqual([
      JSON.stringify('a b; $(rm -rf /) "${n}" `id` *'),
      '"--n=3"',
      '"${x}"',
      '"fixed"',
    ]);
  });

  test("are left out where nothing was given for the whole of one", async () => {
    const { run } = await openTools({ "user/echo/tool.yml": echo('"${x}", "a${x}b"') });
    expect(said(await run("echo", {}))).toBe('"ab"');
  });

  test("are any text, byte by byte", async () => {
    const { run } = await openTools({ "user/echo/tool.yml": echo('"${x}"', "output: json") });
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "grapheme", minLength: 1, maxLength: 30 }), async (x) => {
        fc.pre(!x.includes("\0"));
        // Directions and tags are not shown to a model; what the program got is asked of it below.
        const plain = x.replace(/[\p{C}\p{Zl}\p{Zp}<]/gu, "");
        fc.pre(plain !== "");
        expect(said(await run("echo", { x: plain }))).toBe(JSON.stringify(plain));
      }),
      { numRuns: 15 },
    );
  });

  test("are never options, unless -- stands before them or the author has begun one", async () => {
    const command = (args: string): string =>
      simple("print", `inputs: [{ name: x }]\ncommand: [printf, "%s", ${args}]`);
    const bare = await openTools({ "user/print/tool.yml": command('"${x}"') });
    expect(await bare.run("print", { x: "-rf" })).toEqual({
      ok: false,
      text: 'not planned: print: "x" may not begin with "-" here: the program would take it for an option',
    });
    expect(bare.wrapped).toEqual([]);
    expect(said(await bare.run("print", { x: "a-b" }))).toBe("a-b");
    const meant = await openTools({ "user/print/tool.yml": command('"--", "${x}"') });
    expect(said(await meant.run("print", { x: "-rf" }))).toBe("---rf");
    const option = await openTools({ "user/print/tool.yml": command('"-${x}"') });
    expect(said(await option.run("print", { x: "-rf" }))).toBe("--rf");
  });

  test.each([
    [{ x: 5 }, '"x" must be a string'],
    [{ n: 1.5 }, '"n" must be an integer'],
    [{ n: "many" }, '"n" must be an integer'],
    [{ x: "a\0b" }, "without NUL"],
    [{ x: "y".repeat(40_000) }, "at most 32000"],
    [{ y: "z" }, '"y" is no input of this tool'],
    [{ constructor: "z" }, '"constructor" is no input'],
    [["x"], "takes an object"],
    ["x", "takes an object"],
  ])("%j are not planned", async (input, says) => {
    const { run, wrapped } = await openTools({ "user/echo/tool.yml": echo('"${x}"') });
    expect((await run("echo", input)).text).toContain(says);
    expect(wrapped).toEqual([]);
  });

  test("that are missing are named", async () => {
    const file = simple("need", "inputs: [{ name: a, required: true }]\ncommand: [ls]");
    const { run, tools } = await openTools({ "user/need/tool.yml": file });
    expect((await run("need", {})).text).toBe('not planned: need: "a" is missing. Its inputs: a.');
    expect(tools[0]?.inputSchema).toEqual({
      type: "object",
      properties: { a: { type: "string" } },
      required: ["a"],
      additionalProperties: false,
    });
  });
});

describe("a program", () => {
  test("is started in the workspace, through confinement, and is shown while it runs", async () => {
    const { run, base, wrapped, parts } = await openTools({ "user/where/tool.yml": simple("where", "command: [pwd]") });
    const result = await run("where", {});
    expect(result.text).toBe(
      `<cadre:context source="tool where" trusted="false" nonce="token-0001">\n${base}/work\n\n</cadre:context>`,
    );
    expect(wrapped).toEqual([["pwd"]]);
    expect(parts).toEqual([{ type: "output-delta", call: "call_1", text: `${base}/work\n` }]);
  });

  test("that lies beside its manifest is found by ./", async () => {
    const { run } = await openTools({
      "project/own/tool.yml": simple("own", "command: [./run.sh]"),
      "project/own/run.sh": "#!/bin/sh\necho beside\n",
    });
    expect(said(await run("own", {}))).toBe("beside");
  });

  test("sees only variables that its manifest names and the policy allows", async () => {
    process.env["CADRE_TEST_A"] = "a";
    process.env["CADRE_TEST_B"] = "b";
    const file = simple("vars", "env: [CADRE_TEST_A, CADRE_TEST_B]\ncommand: [env]");
    const { run } = await openTools({ "user/vars/tool.yml": file }, { allow: ["PATH", "CADRE_TEST_A", "USER"] });
    const names = said(await run("vars", {}))
      .split("\n")
      .map((line) => line.split("=")[0])
      .filter((name) => name !== "CADRE_KEEP"); // the mark of custody
    expect(new Set(names)).toEqual(new Set(["CADRE_TEST_A", "PATH"]));
  });

  test.each([
    ["json", '{"x":"a b","n":3}'],
    ['{ text: "<${x}>" }', "<a b>"],
    ["none", ""],
  ])("gets %s on its standard input", async (stdin, gets) => {
    const inputs = "inputs: [{ name: x }, { name: n, type: integer, default: 3 }]";
    const { run } = await openTools({
      "user/cat/tool.yml": simple("cat", `${inputs}\nstdin: ${stdin}\ncommand: [cat]`),
    });
    const result = await run("cat", { x: "a b" });
    expect(gets === "" ? result.text : said(result)).toBe(gets === "" ? "(no output)" : gets);
  });

  test("that fails says how, with the last words of both streams", async () => {
    const script = 'echo so far; echo "cannot: no such thing" >&2; exit 3';
    const { run } = await openTools({ "user/bad/tool.yml": simple("bad", `command: [sh, -c, '${script}']`) });
    const result = await run("bad", {});
    expect(result.ok).toBe(false);
    expect(said(result)).toBe("bad exited with 3: cannot: no such thing\nIt had written:\nso far");
  });

  test("that is not there is no surprise", async () => {
    const { run } = await openTools({ "user/none/tool.yml": simple("none", "command: [cadre-no-such-program]") });
    expect((await run("none", {})).text).toContain("none cannot run: there is no program cadre-no-such-program");
  });

  test("that should answer in JSON is held to it", async () => {
    const json = (script: string): string => simple("j", `output: json\ncommand: [printf, '%s', '${script}']`);
    expect(said(await (await openTools({ "user/j/tool.yml": json('{"a":1}') })).run("j", {}))).toBe('{"a":1}');
    expect((await (await openTools({ "user/j/tool.yml": json("nope") })).run("j", {})).text).toContain(
      "j should write one JSON value",
    );
  });

  test("that writes without an end is read to its end, and kept to its size", async () => {
    const file = simple("flood", "max_output_kb: 1\ncommand: [sh, -c, 'yes | head -c 5000000']");
    const result = await (await openTools({ "user/flood/tool.yml": file })).run("flood", {});
    const text = said(result);
    expect(result.leftOut).toBe("only the first 1 KB that it wrote were kept");
    expect(text).toMatch(/^(y\n)+\n\(cut at 1 KB\)$/);
    expect(text.length).toBeLessThan(1100);
  });

  test("that takes too long is stopped, and what it wrote is told", async () => {
    const pipe = namedPipe();
    const clock = fakeClock();
    const file = simple("slow", `timeout_ms: 500\ncommand: [sh, -c, 'echo begun; exec cat "$1"', sh, "${pipe}"]`);
    const { run, parts } = await openTools({ "user/slow/tool.yml": file }, { clock });
    const result = run("slow", {});
    await eventually("it has begun", () => parts.length > 0);
    await clock.advance(500);
    expect(said(await result)).toBe("slow did not end within 500 ms, and was stopped.\nIt had written:\nbegun");
    await eventually("it is gone", () => waitingAt(pipe).length === 0);
  });

  test("that does not listen is left to the end of its attempt", async () => {
    const pipe = namedPipe();
    const clock = fakeClock();
    const script = 'trap "" TERM; echo begun; while :; do cat "$1"; done';
    const file = simple("deaf", `timeout_ms: 500\ncommand: [sh, -c, '${script}', sh, "${pipe}"]`);
    const { run, parts } = await openTools({ "user/deaf/tool.yml": file }, { clock });
    const result = run("deaf", {});
    await eventually("it has begun", () => parts.length > 0);
    await clock.advance(500);
    await clock.advance(2000);
    expect((await result).text).toContain(
      "did not end within 500 ms, and was told to stop, but has not ended yet: it is ended with the task.",
    );
  });

  test("is stopped with its attempt", async () => {
    const pipe = namedPipe();
    const file = simple("slow", `command: [sh, -c, 'echo begun; exec cat "$1"', sh, "${pipe}"]`);
    const { run, parts, stop } = await openTools({ "user/slow/tool.yml": file });
    const result = run("slow", {});
    await eventually("it has begun", () => parts.length > 0);
    stop.abort();
    expect((await result).text).toContain("slow was stopped.");
    expect((await run("slow", {})).text).toContain("stopped before it began");
  });
});

describe("the folders", () => {
  test("of a project come first, and count only when trusted", async () => {
    const files = {
      "project/both/tool.yml": simple("both", "command: [echo, project]"),
      "user/both/tool.yml": simple("both", "command: [echo, user]"),
      "user/mine/tool.yml": simple("mine", "command: [echo, mine]\neffect: read"),
    };
    const trusted = await openTools(files);
    expect(trusted.tools.map(({ name, effect }) => [name, effect])).toEqual([
      ["both", "exec"],
      ["mine", "read"],
    ]);
    expect(said(await trusted.run("both", {}))).toBe("project");
    const { tools } = await openTools(files, { trusted: false });
    expect(tools.map(({ name }) => name)).toEqual(["mine"]);
  });

  test("that are links are not followed", async () => {
    const { base } = await openTools({ "elsewhere/evil/tool.yml": simple("evil", "command: [ls]") });
    symlinkSync(join(base, "elsewhere"), join(base, "user"));
    expect(existsSync(join(base, "user/evil/tool.yml"))).toBe(true);
    const { findTools } = await import("../../../src/tools/manifest/tool-folders.ts");
    const trust = { isTrusted: async () => true, pinsOf: async () => null };
    const layer = { folder: join(base, "user"), trustRoot: null };
    expect(await findTools([layer], trust)).toEqual({ tools: [], problems: [] });
  });
});
