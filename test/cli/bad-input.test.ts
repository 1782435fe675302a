// Input that is wrong, hostile or huge: each has a clear outcome, and nothing is lost.
import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { agentFile, cadre, cadreWith, place } from "./command-line.ts";

const FILES = {
  ".cadre/agents/hello.md": agentFile("hello", "  - answer: hello"),
  ".cadre/agents/count.yml": "name: count\ndescription: counts\npermission_mode: auto\ncommand: [wc, -c]\n",
};

describe("a prompt on standard input", () => {
  test("of ten megabytes is taken whole", async () => {
    const where = await place(FILES);
    const { exit, stdout } = await cadreWith("x".repeat(10_000_000), where, "run", "count", "-");
    expect({ exit, stdout: stdout.trim() }).toEqual({ exit: 0, stdout: "10000000" });
  });

  test("that is larger than the backend takes is refused, with both sizes", async () => {
    const where = await place(FILES);
    const { exit, stderr } = await cadreWith("x".repeat(11 * 1024 * 1024), where, "run", "hello", "-");
    expect(stderr).toContain('the prompt has 11534336 bytes; the backend "tape" takes 10485760');
    expect(exit).toBe(2);
  });

  test.each([
    ["not UTF-8", new Uint8Array([0x68, 0xff, 0xfe]), "is not UTF-8"],
    ["empty", "", "the prompt is empty"],
    ["with a NUL", "a\0b", "holds a NUL character"],
  ])("that is %s is refused", async (_name, input, says) => {
    const where = await place(FILES);
    const { exit, stderr } = await cadreWith(input, where, "run", "hello", "-");
    expect(stderr).toContain(says);
    expect(exit).toBe(2);
    expect((await cadre(where, "status")).stdout).toBe("No tasks.\n");
  });
});

describe("cadre run", () => {
  test.each([
    [["run"], "say what is to be done"],
    [["run", "Hello"], "say what hello is to do"],
    [["run", "--background", "hello"], "say what hello is to do"],
  ])("without a prompt says what to type, and which agents there are: %s", async (args, says) => {
    const where = await place(FILES);
    const { exit, stderr } = await cadre(where, ...args);
    expect(exit).toBe(2);
    expect(stderr).toContain(says);
    expect(stderr).toMatch(/^hint: cadre run .*"What to do"\. Agents: .*hello.*Explore/m);
    expect((await cadre(where, "status")).stdout).toBe("No tasks.\n");
  });
});

describe("what is wrong is named as it was typed:", () => {
  test.each([
    [["run", "hello", "x", "--timeout-ms", "soon"], "error: --timeout-ms: takes a whole number, 1 or more\n"],
    [["run", "hello", "x", "--max-turns", "0"], "error: --max-turns: takes a whole number, 1 or more\n"],
    [["start", "hello", "x", "--max-turns", "2.5"], "error: --max-turns: takes a whole number, 1 or more\n"],
    [["run", "hello", "x", "--max-tokens", "many"], "error: --max-tokens: takes a whole number, 1 or more\n"],
    [["run", "hello", "x", "--budget-usd", "0"], "error: --budget-usd: takes a number above 0\n"],
    [["run", "hello", "x", "--budget-usd", "abc"], "error: --budget-usd: takes a number above 0\n"],
    [["status", "--limit", "0"], "error: --limit: takes a whole number from 1 to 1000\n"],
    [["sessions", "prune", "--unused-days", "-1"], "error: --unused-days: takes a number, 0 or more\n"],
    [["status", "--status", "done"], "error: --status: "],
    [["inbox", "lsit"], 'error: action: expected one of "list"|"read"|"answer", or an item'],
    [["agents", "import", "reviewer", "--from", "claude"], 'error: import takes no "reviewer"'],
    [["agents", "list", "reviewer"], 'error: list takes no "reviewer"'],
    [["agents", "show", "hello", "count"], 'error: show takes no "count"'],
    [["run", "hello", "x", "--inputs", "nowhere.json"], "nowhere.json could not be read: ENOENT"],
    [["run", "hello", "x", "--inputs", "list.json"], "list.json could not be read: it is no JSON object"],
  ])("%j", async (args, says) => {
    const { exit, stderr } = await cadre(await place({ ...FILES, "list.json": "[]" }), ...args);
    expect(stderr).toContain(says);
    expect(exit).toBe(2);
  });
});

describe("an address of models that is none refuses the task before it is there:", () => {
  const own = "models:\n  default: local/m\n  providers:\n    local: { base_url: 'ftp://x' }\n";
  test.each([
    ["ANTHROPIC_BASE_URL", { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: "localhost:8080" }, ""],
    ["models.providers.local.base_url", {}, own],
  ])("%s", async (source, variables, settings) => {
    const where = await place(FILES);
    mkdirSync(join(where.userHome, ".cadre"), { recursive: true });
    writeFileSync(join(where.userHome, ".cadre", "config.yml"), settings);
    const told = { ...where, env: { ...where.env, ...variables } };
    const { exit, stderr } = await cadre(told, "run", "Explore", "x");
    expect(stderr).toBe(
      `error: ${source} is not the address of an endpoint\nhint: Write it as https://host/path or http://localhost:8080.\n`,
    );
    expect(exit).toBe(4);
    expect((await cadre(where, "status")).stdout).toBe("No tasks.\n");
  });
});

test("an address that is none where a queued task is run fails it with why and what to do, and it can be tried again", async () => {
  const where = await place(FILES);
  const [good, bad] = ["http://127.0.0.1:9", "localhost:8080"].map((url) => ({
    ...where,
    env: { ...where.env, ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: url },
  }));
  expect((await cadre(good ?? where, "start", "Explore", "x")).exit).toBe(0);
  const { exit, stdout } = await cadre(bad ?? where, "work");
  expect(exit).toBe(1);
  expect(stdout).toContain("failed (backend_unavailable)");
  expect((await cadre(where, "output", "@last")).stdout).toContain(
    "ANTHROPIC_BASE_URL is not the address of an endpoint. Write it as https://host/path or http://localhost:8080.",
  );
  expect((await cadre(where, "retry", "@last")).exit).toBe(0);
});

describe("a home", () => {
  test("that is a link to elsewhere is refused, and nothing is written there", async () => {
    const where = await place(FILES);
    const elsewhere = join(where.userHome, "elsewhere");
    mkdirSync(elsewhere);
    symlinkSync(elsewhere, join(where.project, "linked"));
    const { exit, stderr } = await cadre(where, "--home", "linked", "status");
    expect(stderr).toContain("it is a link to another place");
    expect(exit).toBe(3);
    expect(existsSync(join(elsewhere, "cadre.db"))).toBe(false);
  });

  test("below a file is refused", async () => {
    const where = await place({ ...FILES, "a-file": "x" });
    const { exit, stderr } = await cadre(where, "--home", "a-file/home", "status");
    expect(stderr).toContain("cannot be Cadre's home");
    expect(exit).toBe(3);
  });

  test("that may only be read is refused to whoever is held to that", async () => {
    const where = await place(FILES);
    const locked = join(where.project, "locked");
    mkdirSync(locked);
    chmodSync(locked, 0o500);
    const { exit, stderr } = await cadre(where, "--home", "locked/home", "status");
    // Root may write anywhere: for it there is nothing to refuse.
    const isRoot = process.getuid?.() === 0;
    expect({ exit, isRefused: stderr.includes("cannot be Cadre's home") }).toEqual({
      exit: isRoot ? 0 : 3,
      isRefused: !isRoot,
    });
  });
});

test.each(["../../etc/passwd", "task_../x", "%2e%2e", "task_ x", "\u202etask"])(
  "a task called %j is not found, and nothing is read for it",
  async (name) => {
    const where = await place(FILES);
    const { exit, stderr } = await cadre(where, "show", name);
    expect(exit).toBe(2);
    expect(stderr).toContain("there is no task");
    expect(stderr).not.toContain("\u202e");
  },
);

test("what an agent writes reaches the terminal as text: no escape sequences, no bidirectional marks", async () => {
  const tape = '  - answer: "\\e]0;owned\\a\\e[2J\\u202egnp.exe"';
  const where = await place({ ".cadre/agents/evil.md": agentFile("evil", tape) });
  const { stdout, stderr } = await cadre(where, "run", "evil", "x");
  for (const mark of ["\u0007", "\u001b", "\u202e"]) expect(`${stdout}${stderr}`).not.toContain(mark);
  expect(stdout).toContain("\\u001b]0;owned");
});
