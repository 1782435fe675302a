import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { agentFile, cadre, place, type Place } from "./command-line.ts";

const ownFile = ({ userHome }: Place): string => join(userHome, ".cadre", "config.yml");

/** Somebody who has said in their own file that a person's decisions need no terminal. */
async function placeOfPerson(files: Readonly<Record<string, string>> = {}): Promise<Place> {
  const where = await place(files);
  writeFileSync(ownFile(where), "# mine\nsecurity:\n  person_without_terminal: true\n");
  return where;
}

describe("cadre config", () => {
  test("list shows every setting and where it comes from, and what is ignored on stderr", async () => {
    const where = await place({ ".cadre/config.yml": "subagents:\n  max_concurrent: 3\n  timeout_ms: 700000\n" });
    const { exit, stdout, stderr } = await cadre(where, "config", "list");
    expect(stdout).toMatch(/^subagents\.max_concurrent +3 +project: .*\.cadre\/config\.yml:2:3$/m);
    expect(stdout).toMatch(/^subagents\.rate_limit_per_min +20 +default$/m);
    expect(stderr).toContain("may only be tightened here: 700000 was asked for, 600000 is used");
    expect(exit).toBe(0);
  });

  test("get prints the value alone, also with the environment over the files", async () => {
    const where = await place({ ".cadre/config.yml": "subagents: { max_concurrent: 3 }\n" });
    expect(await cadre(where, "config", "get", "subagents.max_concurrent")).toMatchObject({ stdout: "3\n", exit: 0 });
    const inEnvironment = { ...where, env: { ...where.env, CADRE_SUBAGENTS_MAX_CONCURRENT: "7" } };
    const { stdout } = await cadre(inEnvironment, "config", "get", "subagents.max_concurrent", "--json");
    expect(JSON.parse(stdout)).toMatchObject({
      data: { value: 7, source: "environment", where: "CADRE_SUBAGENTS_MAX_CONCURRENT", fallback: 10 },
    });
  });

  test("set writes the user's file, and keeps what is in it", async () => {
    const where = await placeOfPerson();
    const { exit, stdout } = await cadre(where, "config", "set", "subagents.max_concurrent", "4");
    expect(stdout).toBe(`subagents.max_concurrent is 4 (${ownFile(where)})\n`);
    expect(exit).toBe(0);
    expect(readFileSync(ownFile(where), "utf8")).toBe(
      "# mine\nsecurity:\n  person_without_terminal: true\nsubagents:\n  max_concurrent: 4\n",
    );
  });

  test("set --project writes the project's, which may only tighten", async () => {
    const where = await placeOfPerson();
    const key = "security.subagent_permissions.fs.read";
    expect((await cadre(where, "config", "set", "--project", key, "src,docs")).exit).toBe(0);
    expect((await cadre(where, "config", "get", key)).stdout).toBe("src,docs\n");
    const wider = await cadre(where, "config", "set", "--project", key, "/");
    expect(wider.stderr).toContain("a project's file may only tighten");
    expect(wider.exit).toBe(2);
  });

  test("set says when something else outranks it", async () => {
    const where = await placeOfPerson();
    await cadre(where, "config", "set", "subagents.timeout_ms", "9000");
    const { stderr, exit } = await cadre(where, "config", "set", "--project", "subagents.timeout_ms", "8000");
    expect(stderr).toContain("It was written, but user:");
    expect(exit).toBe(0);
  });

  test("set is a person's to decide", async () => {
    const where = await place();
    const { exit, stderr } = await cadre(where, "config", "set", "subagents.max_concurrent", "4");
    expect(stderr).toContain("is a person's to decide");
    expect(exit).toBe(4);
  });

  test.each([
    [["config", "get", "subagents.max_concurent"], 'did you mean "subagents.max_concurrent"?'],
    [["config", "get"], "this needs a key"],
    [["config", "set", "subagents.max_concurrent"], "this needs a value"],
    [["config", "unset"], "hint: See: cadre config --help"],
    [["config", "get", "sessions.expiry_day"], 'did you mean "sessions.expiry_days"?'],
  ])("cadre %j is refused", async (args, says) => {
    const { exit, stderr } = await cadre(await place(), ...args);
    expect(stderr).toContain(says);
    expect(exit).toBe(2);
  });
});

describe("settings take effect:", () => {
  const SLOW = { ".cadre/agents/slow.md": agentFile("slow", "  - pause_ms: 10\n  - answer: done") };

  test("limits and the widest policy of a task come from them", async () => {
    const where = await place({
      ...SLOW,
      ".cadre/config.yml":
        "subagents: { timeout_ms: 5000, max_output_kb: 7 }\nsecurity: { subagent_permissions: { fs: { read: [src] } } }\n",
    });
    const { stdout } = await cadre(where, "run", "slow", "go", "--json");
    expect(JSON.parse(stdout)).toMatchObject({
      data: {
        spec: {
          limits: { timeoutMs: 5000, maxOutputKb: 7 },
          policy: { fs: { read: ["src", expect.stringContaining("plans/"), expect.stringContaining("workspace")] } },
        },
      },
    });
  });

  test("a person may do without a terminal only if the user's own file says so", async () => {
    const where = await place({ ".cadre/config.yml": "security: { person_without_terminal: true }\n" });
    expect((await cadre(where, "trust", "--list")).exit).toBe(4);
    expect((await cadre(await placeOfPerson(), "trust", "--list")).exit).toBe(0);
  });

  test("a misspelt setting stops every command, with its place", async () => {
    const where = await place({ ...SLOW, ".cadre/config.yml": "subagents:\n  max_concurent: 3\n" });
    const { exit, stderr } = await cadre(where, "run", "slow", "go");
    expect(stderr).toMatch(
      /^error: .*config\.yml:2:3: unknown key "max_concurent"; did you mean "max_concurrent"\?\nhint: /,
    );
    expect(exit).toBe(2);
  });
});

describe("what the user's own file says about models", () => {
  test.each([
    ["key", "providers: { local: { base_url: 'http://127.0.0.1:1', key: sk-1-abc } }", "models.providers.local.key: "],
    ["price", "prices: { haiku: { input: -1, output: 1 } }", "models.prices.haiku.input: "],
    ["limit", "limits: { haiku: 5 }", "models.limits.haiku: "],
  ])("a %s that cannot be is named, with what to do, and is no bug of Cadre's", async (_, text, named) => {
    const where = await place({
      ".claude/agents/a.md": "---\nname: a\ndescription: does a\nmodel: haiku\n---\nDo a.\n",
    });
    writeFileSync(ownFile(where), `models: { ${text} }\n`);
    const expected = {
      exit: 2,
      stderr: expect.stringMatching(`error: ${named}.*\nhint: Correct it in your own`) as string,
    };
    expect(await cadre(where, "run", "Explore", "Hello.")).toMatchObject(expected);
    expect(await cadre(where, "agents", "check", ".claude/agents/a.md")).toMatchObject(expected);
    const { exit, stdout } = await cadre(where, "doctor");
    expect(exit).toBe(3);
    expect(stdout).toContain(named);
    expect(stdout).not.toContain("ZodError");
  });
});
