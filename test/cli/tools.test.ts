import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { cadre, place, type Place, start } from "./command-line.ts";

const OWN = "security: { person_without_terminal: true }\n";

async function person(files: Readonly<Record<string, string>> = {}, options?: { trusted?: boolean }): Promise<Place> {
  const where = await place(files, options);
  mkdirSync(join(where.userHome, ".cadre"), { recursive: true });
  writeFileSync(join(where.userHome, ".cadre", "config.yml"), OWN);
  return where;
}

const tool = (name: string, rest: string): Record<string, string> => ({
  [`.cadre/tools/${name}/tool.yml`]: `name: ${name}\ndescription: For tests.\n${rest}\n`,
});

const data = (stdout: string): unknown => (JSON.parse(stdout) as { data: unknown }).data;

describe("cadre tools", () => {
  test("new writes a tool that works as it is, and never writes over one", async () => {
    const where = await person();
    const made = await cadre(where, "tools", "new", "greet");
    const file = join(where.project, ".cadre", "tools", "greet", "tool.yml");
    expect(made).toMatchObject({ exit: 0, stdout: `${file}\n` });
    expect(await cadre(where, "tools", "run", "greet", "--input", "name=Ada Lovelace")).toMatchObject({
      exit: 0,
      stdout: "Hello, Ada Lovelace!\n",
    });
    const before = readFileSync(file, "utf8");
    expect(await cadre(where, "tools", "new", "greet")).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining("is there already: nothing was changed"),
    });
    expect(readFileSync(file, "utf8")).toBe(before);
    const own = await cadre(where, "tools", "new", "greet", "--scope", "user");
    expect(own.stdout).toBe(`${join(where.userHome, ".cadre", "tools", "greet", "tool.yml")}\n`);
  });

  test("new says in a project that is not trusted what has to be done first", async () => {
    const where = await person({}, { trusted: false });
    const made = await cadre(where, "tools", "new", "greet");
    expect(made.exit).toBe(0);
    expect(made.stderr).toContain("Nobody can run it before you have said that you trust this project: cadre trust");
    expect((await cadre(where, "tools", "new", "own", "--scope", "user")).stderr).not.toContain("cadre trust");
  });

  test("list shows what there is, and on stderr what is wrong", async () => {
    const where = await person({
      ...tool("good", "command: [echo, hi]\neffect: read"),
      ...tool("bad", "comand: [echo]"),
    });
    const { stdout, stderr, exit } = await cadre(where, "tools", "list");
    expect(stdout).toMatch(/^TOOL .*\ngood +not seen +read +For tests\. +.*good\/tool\.yml\n$/);
    expect(stderr).toMatch(/bad\/tool\.yml:3:1: unknown key "comand"; did you mean "command"\?/);
    expect(exit).toBe(0);
    expect(data((await cadre(where, "tools", "list", "--json")).stdout)).toMatchObject({
      tools: [{ name: "good", effect: "read", trusted: true, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) }],
    });
  });

  test("of a folder that is not trusted are shown, and do not run", async () => {
    const where = await person(tool("evil", "command: [echo, hi]"), { trusted: false });
    expect((await cadre(where, "tools", "list")).stdout).toContain("not trusted");
    expect(await cadre(where, "tools", "run", "evil")).toMatchObject({
      exit: 2,
      stdout: "",
      stderr: expect.stringContaining("hint: Read its files, then say so: cadre trust"),
    });
  });

  test("run says on stderr what failed, and exits with 1", async () => {
    const where = await person(tool("fail", "command: [sh, -c, 'echo out; echo why >&2; exit 7']"));
    const { exit, stdout, stderr } = await cadre(where, "tools", "run", "fail");
    expect(stderr).toContain("error: fail exited with 7: why");
    expect([exit, stdout]).toEqual([1, ""]);
    const json = await cadre(where, "tools", "run", "fail", "--json");
    expect([json.exit, data(json.stdout)]).toMatchObject([1, { ok: false }]);
  });

  test("run reads inputs by their types, and gives JSON as JSON", async () => {
    const inputs = "inputs: [{ name: n, type: integer, required: true }]";
    const where = await person(tool("add", `${inputs}\nstdin: json\noutput: json\ncommand: [cat]`));
    const ran = await cadre(where, "tools", "run", "add", "--input", "n=5", "--json");
    expect(data(ran.stdout)).toEqual({ ok: true, text: '{"n":5}', json: { n: 5 } });
    expect(await cadre(where, "tools", "run", "add", "--input", "n=five")).toMatchObject({ exit: 2 });
  });

  test("run is stopped by Ctrl-C, with everything that it started", async () => {
    const where = await person(tool("slow", "command: [sh, -c, 'echo begun > begun; sleep 600']"));
    const running = start(where, "tools", "run", "slow");
    await expect.poll(() => existsSync(join(where.project, "begun")), { timeout: 20_000 }).toBe(true);
    running.kill("SIGINT");
    expect(await running.done).toMatchObject({ exit: 1, stderr: expect.stringContaining("slow was stopped.") });
  });

  test("run and new are a person's", async () => {
    const where = await place(tool("good", "command: [echo, hi]"));
    for (const args of [
      ["run", "good"],
      ["new", "more"],
    ])
      expect(await cadre(where, "tools", ...args)).toMatchObject({
        exit: 4,
        stderr: expect.stringContaining("is a person's to decide"),
      });
    expect((await cadre(where, "tools", "list")).exit).toBe(0);
  });

  test.each([
    [["run"], "this needs the name of a tool"],
    [["run", "god"], 'Did you mean "good"?'],
    [["run", "good", "--input", "x=1"], "is no input of this tool"],
    [["new", "Bash"], "a tool of Cadre's own has this name"],
    [["new", "../up"], "cannot be the name of a tool"],
    [["delete"], "hint: See: cadre tools --help"],
  ])("%j is refused", async (args, says) => {
    const { exit, stderr } = await cadre(await person(tool("good", "command: [echo, hi]")), "tools", ...args);
    expect(stderr).toContain(says);
    expect(exit).toBe(2);
  });
});
