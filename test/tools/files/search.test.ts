import { mkdirSync, readdirSync, readlinkSync, writeFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MOST_SHOWN } from "../../../src/domain/summaries.ts";
import { eventually } from "../../custody/kit.ts";
import { kit, type Kit, type KitOptions, ripgrep } from "./kit.ts";

const processesIn = (folder: string): string[] =>
  readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readlinkSync(`/proc/${pid}/cwd`) === folder;
    } catch {
      return false; // gone, or not ours
    }
  });

/** Whatever a search meets: ignored, hidden, binary, foreign line ends, links, odd names. */
async function tree(options: KitOptions = {}): Promise<Kit> {
  const files = await kit(options);
  await files.put({
    ".gitignore":
      "ignored/\n*.log\n!keep.log\n/top.txt\nsub/only.txt\n# a remark\n\\#file\nsp\\ ace\n[ab].gen\nx/**/z\n!.shown\n",
    ".hidden/a.ts": "needle\n",
    ".shown": "needle\n",
    ".git/config": "needle\n",
    "#file": "needle\n",
    "a.gen": "needle\n",
    "c.gen": "needle\n",
    "x/y/z": "needle\n",
    "x/y/w": "needle\n",
    "ignored/a.ts": "needle\n",
    "a.log": "needle\n",
    "keep.log": "needle\n",
    "top.txt": "needle\n",
    "deep/top.txt": "needle\n",
    "sub/only.txt": "needle\n",
    "deep/sub/only.txt": "needle\n",
    "src/.gitignore": "*.tmp\n!a.log\nlocal\n",
    "src/a.ts": "one\nNeedle needle\nthree\nfour\nneedle again\n",
    "src/b.tsx": "no\r\nneedle\r\nend\r\n",
    "src/a.log": "needle\n",
    "src/b.tmp": "needle\n",
    "src/local/x.ts": "needle\n",
    "src/lib/c.ts": "\uFEFFneedle\n",
    "src/lib/B.ts": "nothing\n",
    "src/lib/é.ts": "needle é\n",
    "src/-rf.ts": "needle\n",
    "src/--pre=x.ts": "needle\n",
    "src/sp ace.ts": "needle\n",
    "bin/data": Buffer.from("needle\n\0needle\n"),
    "bin/late": Buffer.concat([Buffer.from("needle\n"), Buffer.alloc(100_000, "x\n"), Buffer.from("\0")]),
    "README.md": "A needle.\n",
    "long.txt": `${"x".repeat(100_000)} needle\n`,
  });
  await files.link("../secret.txt", "src/link.ts");
  await files.link("..", "up");
  return files;
}

const globs = [
  { pattern: "**" },
  { pattern: "**/*.ts" },
  { pattern: "*.ts" },
  { pattern: "src/*.{ts,tsx}" },
  { pattern: "**/[a-c].ts*" },
  { pattern: "**/[!a]*.ts" },
  { pattern: "?.ts", path: "src" },
  { pattern: "**/lib/**" },
  { pattern: "src/**/c.ts" },
  { pattern: ".*" },
  { pattern: "**/*.ts", hidden: true },
  { pattern: ".hidden/**" },
  { pattern: "ignored/*" },
  { pattern: "*", path: "src/local" },
  { pattern: "src/a.ts" },
  { pattern: "{src,deep}/**/*.t{s,xt}" },
  { pattern: "nothing/here" },
];

const greps = [
  { pattern: "needle" },
  { pattern: "needle", output_mode: "content" },
  { pattern: "NEEDLE", "-i": true, output_mode: "count" },
  { pattern: "^needle$", output_mode: "content" },
  { pattern: "^needle", output_mode: "content", "-n": false },
  { pattern: "needle", path: "src/a.ts", output_mode: "content", context: 1 },
  { pattern: "needle", path: "src", output_mode: "content", "-A": 1, "-B": 0 },
  { pattern: "needle", glob: "*.ts" },
  { pattern: "needle", glob: "src/**" },
  { pattern: "needle", glob: "!*.ts" },
  { pattern: "needle", glob: "*.{md,tsx}", output_mode: "content" },
  { pattern: "needle", hidden: true },
  { pattern: "needle", path: "ignored" },
  { pattern: "needle", path: "bin" },
  { pattern: "n(e+)dle é" },
  { pattern: "\\bone\\b|\\bfour\\b", output_mode: "content" },
  { pattern: "needle", head_limit: 3 },
  { pattern: "needle", head_limit: 3, output_mode: "content" },
  { pattern: "not there at all" },
];

describe.runIf(ripgrep !== undefined)("with the program and without it, the answers are the same", () => {
  let fast: Kit;
  let slow: Kit;
  beforeAll(async () => {
    [fast, slow] = [await tree(), await tree({ ripgrep: undefined })];
  });
  afterAll(async () => {
    for (const files of [fast, slow]) await files[Symbol.asyncDispose]();
  });

  test.each([...globs.map((input) => ["Glob", input] as const), ...greps.map((input) => ["Grep", input] as const)])(
    "%s %j",
    async (name, input) => {
      const one = await fast.run(name, input);
      expect(one).toEqual(await slow.run(name, input));
      expect(one.text).not.toMatch(/top secret|secret\.txt/);
    },
  );

  test("and these are the answers", async () => {
    expect((await fast.text("Grep", { pattern: "needle" })).split("\n")).toEqual([
      ".shown",
      "README.md",
      "c.gen",
      "deep/sub/only.txt",
      "deep/top.txt",
      "keep.log",
      "long.txt",
      "src/--pre=x.ts",
      "src/-rf.ts",
      "src/a.log",
      "src/a.ts",
      "src/b.tsx",
      "src/lib/c.ts",
      "src/lib/é.ts",
      "src/sp ace.ts",
      "x/y/w",
    ]);
  });
});

describe.each([
  ["with the program", { ripgrep }],
  ["without it", { ripgrep: undefined }],
])("Glob and Grep %s", (_, options) => {
  test("find files in the order of their names", async () => {
    await using files = await tree(options);
    expect(await files.text("Glob", { pattern: "src/**/*.ts" })).toBe(
      "src/--pre=x.ts\nsrc/-rf.ts\nsrc/a.ts\nsrc/lib/B.ts\nsrc/lib/c.ts\nsrc/lib/é.ts\nsrc/sp ace.ts",
    );
  });

  test("show lines with their surroundings", async () => {
    await using files = await tree(options);
    expect(await files.text("Grep", { pattern: "needle", path: "src/a.ts", output_mode: "content", context: 1 })).toBe(
      "src/a.ts-1-one\nsrc/a.ts:2:Needle needle\nsrc/a.ts-3-three\nsrc/a.ts-4-four\nsrc/a.ts:5:needle again",
    );
    expect(await files.text("Grep", { pattern: "needle", path: "src/a.ts", output_mode: "count" })).toBe("src/a.ts:2");
  });

  test("leave out what the policy does not open, wherever the search begins", async () => {
    await using files = await tree({ ...options, read: ["src/lib", "README.md"] });
    expect(await files.text("Glob", { pattern: "**" })).toBe("README.md\nsrc/lib/B.ts\nsrc/lib/c.ts\nsrc/lib/é.ts");
    expect(await files.text("Grep", { pattern: "needle" })).toBe("README.md\nsrc/lib/c.ts\nsrc/lib/é.ts");
    expect(await files.text("Grep", { pattern: "needle", path: "src" })).toBe("src/lib/c.ts\nsrc/lib/é.ts");
    expect(await files.text("Grep", { pattern: "needle", path: "deep" })).toContain("No line matches");
    expect(await files.text("List", {})).toContain("README.md");
    expect(await files.text("List", {})).not.toContain("bin");
    expect(await files.text("List", { path: "deep" })).toBe("(nothing in deep)");
  });

  test("understand scopes of the project in a workspace that is a folder of it", async () => {
    await using files = await kit({ ...options, workspace: "packages/one", read: ["packages/one/src", "other"] });
    await files.put({ "src/a": "needle", b: "needle" });
    expect(await files.text("Grep", { pattern: "needle" })).toBe("src/a");
    await using all = await kit({ ...options, workspace: "packages/one", read: ["packages"] });
    await all.put({ "src/a": "needle", b: "needle" });
    expect(await all.text("Grep", { pattern: "needle" })).toBe("b\nsrc/a");
    await using none = await kit({ ...options, read: [] });
    await none.put({ a: "needle" });
    expect(await none.text("Grep", { pattern: "needle" })).toContain("No line matches");
    expect(await none.text("Glob", { pattern: "**" })).toContain("No file matches");
  });

  test("say how many more there are", async () => {
    await using files = await kit(options);
    const many = Array.from({ length: 230 }, (__, index) => [`f${String(index).padStart(3, "0")}`, "needle\nneedle\n"]);
    await files.put(Object.fromEntries(many));
    expect(await files.text("Glob", { pattern: "*" })).toMatch(/f199\n\(30 more files match: /);
    expect(await files.text("Grep", { pattern: "needle" })).toMatch(/f199\n\(30 more files match: /);
    const content = await files.text("Grep", { pattern: "needle", output_mode: "content", head_limit: 3 });
    expect(content).toBe(
      "f000:1:needle\nf000:2:needle\nf001:1:needle\n(457 more lines match, in 228 more files: narrow the search, or raise `head_limit`)",
    );
    expect((await files.text("List", {})).split("\n")).toHaveLength(230);
  });

  test("show no more than a model is shown, and say what is missing", async () => {
    await using files = await kit(options);
    const names = Array.from({ length: 190 }, (__, index) => `${String(index).padStart(3, "0")}${"n".repeat(200)}`);
    await files.put(Object.fromEntries(names.map((name) => [name, "needle\n"])));
    for (const [tool, input] of [
      ["Glob", { pattern: "*" }],
      ["Grep", { pattern: "needle" }],
      ["Grep", { pattern: "needle", output_mode: "count" }],
      ["List", {}],
    ] as const) {
      const text = await files.text(tool, input);
      expect(text.length).toBeLessThanOrEqual(MOST_SHOWN);
      const shown = text.split("\n").filter((line) => line.includes("nnn")).length;
      expect(Number(/\((\d+) more/.exec(text)?.[1])).toBe(190 - shown);
    }
    await files.put({ "all.txt": `needle ${"x".repeat(400)}\n`.repeat(300) });
    const wish = { pattern: "needle x", output_mode: "content", head_limit: 1_000 };
    const content = await files.text("Grep", wish);
    expect(content.length).toBeLessThanOrEqual(MOST_SHOWN);
    const shown = content.split("\n").filter((line) => line.startsWith("all.txt:")).length;
    expect(content).toMatch(new RegExp(`\n\\(${300 - shown} more lines match: narrow the search\\)$`));
    const around = await files.text("Grep", { ...wish, pattern: "^needle", path: "all.txt", head_limit: 1, "-A": 50 });
    expect(around.length).toBeLessThanOrEqual(MOST_SHOWN);
  });

  test("find large files by name, and say of a file that is named itself that it is not searched", async () => {
    await using files = await kit(options);
    const [large, wide] = [Buffer.alloc(10 * 1024 * 1024 + 1, "needle\n"), Buffer.from("\uFEFFneedle\n", "utf16le")];
    await files.put({ "large.log": large, "wide.txt": wide, "a.txt": "needle\n" });
    expect(await files.text("Glob", { pattern: "*" })).toBe("a.txt\nlarge.log\nwide.txt");
    expect(await files.text("Grep", { pattern: "needle" })).toBe("a.txt");
    const problem = (path: string) => files.problem("Grep", { pattern: "needle", path });
    expect(await problem("large.log")).toContain("has 10485761 bytes: files over 10 MB are not searched");
    expect(await problem("wide.txt")).toContain("wide.txt is not searched: it holds NUL bytes");
  });

  test("cut long lines", async () => {
    await using files = await tree(options);
    const text = await files.text("Grep", { pattern: "needle", path: "long.txt", output_mode: "content" });
    expect(text.length).toBeLessThan(600);
  });

  test("explain patterns that cannot be used", async () => {
    await using files = await tree(options);
    expect(await files.problem("Grep", { pattern: "a{(b" })).toContain("A brace that stands for itself");
    expect(await files.problem("Grep", { pattern: "a(b" })).toContain("cannot be used as a regular expression");
    for (const pattern of ["(?=a)b", "(a)\\1", "a\\nb(?!c)"]) {
      const problem = await files.problem("Grep", { pattern });
      expect(problem).toContain("cannot be used as a regular expression");
      expect(problem).not.toMatch(/--|pcre/i); // options that nobody can give here
    }
    expect(files.plan("Grep", { pattern: "a\nb" })).toMatchObject({ ok: false });
    expect(files.plan("Glob", { pattern: "[z-a]" })).toMatchObject({ ok: false });
    expect(files.plan("Glob", { pattern: "a".repeat(2_000) })).toMatchObject({ ok: false });
    expect(await files.text("Glob", { pattern: "*.nothing" })).toContain('"**/*.nothing" looks in all folders below');
    expect(await files.problem("Glob", { pattern: "*", path: "nowhere" })).toContain("does not exist");
    expect(await files.problem("Glob", { pattern: "*", path: "README.md" })).toContain("is no folder");
  });

  test("take patterns that begin like options for patterns", async () => {
    await using files = await tree(options);
    await files.put({ "opt.txt": "--pre=sh\n-e\n--files\n" });
    for (const pattern of ["--pre=sh", "-e", "--files"])
      expect(await files.text("Grep", { pattern, glob: "opt.txt" })).toBe("opt.txt");
    expect(await files.text("Grep", { pattern: "needle", path: "src/--pre=x.ts" })).toBe("src/--pre=x.ts");
  });

  test("answer hostile patterns in time", async () => {
    await using files = await kit(options);
    await files.put({ ["a".repeat(200)]: `${"a".repeat(50_000)}\n` });
    const [globs_, grep] = [`${"*a".repeat(100)}*b`, "(a*)*(a*)*(a|aa)+$x"];
    expect(await files.text("Glob", { pattern: globs_ })).toContain("No file matches");
    expect(await files.text("Grep", { pattern: grep })).toContain("No line matches");
    await files.put({ ".gitignore": `${"*a".repeat(60)}*b\n`.repeat(50) });
    expect(await files.text("Glob", { pattern: "a*" })).toBe("a".repeat(200));
  });

  test("do not wait at pipes", async () => {
    await using files = await kit(options);
    await files.put({ "a/b": "needle\n" });
    files.pipe("a/pipe");
    expect(await files.text("Grep", { pattern: "needle" })).toBe("a/b");
    expect(await files.text("Glob", { pattern: "**" })).toBe("a/b");
    expect(await files.problem("Grep", { pattern: "needle", path: "a/pipe" })).toContain("is no file and no folder");
    expect(await files.text("List", { path: "a" })).toBe("b  7 B\npipe  (pipe)");
  });

  test("show names that hold line breaks as one", async () => {
    await using files = await kit(options);
    await writeFile(join(files.root, "a\nb.txt"), "x");
    expect(await files.text("Glob", { pattern: "*" })).toBe('"a\\nb.txt"');
    expect(await files.text("List", {})).toBe('"a\\nb.txt"  1 B');
  });

  test("show of each file its own lines, whatever another one is called", async () => {
    await using files = await kit(options);
    await files.put({
      "a.txt": "nothing of the kind\n",
      "b\na.txt": "needle\n",
      "c\n./a.txt": "needle\n",
      'd: binary file matches (found "\\0" byte around offset 1)\na.txt': "needle\n",
      "e.bin": Buffer.concat([Buffer.from("needle\n"), Buffer.alloc(100_000, "x\n"), Buffer.from("\0")]),
      "f.txt": "needle\n",
    });
    const lines = (await files.text("Grep", { pattern: "needle", output_mode: "content" })).split("\n");
    expect(lines).toEqual([
      '"b\\na.txt":1:needle',
      '"c\\n./a.txt":1:needle',
      '"d: binary file matches (found \\"\\\\0\\" byte around offset 1)\\na.txt":1:needle',
      "f.txt:1:needle",
    ]);
  });

  test("say how many have names that are no text", async () => {
    await using files = await kit(options);
    const bad = (name: string): Buffer => Buffer.concat([Buffer.from(`${files.root}/${name}`), Buffer.from([0xff])]);
    writeFileSync(bad("file-"), "needle\n");
    const one = "(1 more has a name that is no UTF-8 text, and cannot be opened here)";
    expect(await files.text("Grep", { pattern: "needle" })).toBe(one);
    expect(await files.text("Glob", { pattern: "*" })).toBe(one);
    expect(await files.text("List", {})).toBe(one);
    mkdirSync(bad("folder-"));
    writeFileSync(Buffer.concat([bad("folder-"), Buffer.from("/in.txt")]), "needle\n");
    await files.put({ "a\uFFFD.txt": "needle\n", "b\uFFFD/c.txt": "needle\n", "plain.txt": "needle\n" });
    const two = "(2 more have names that are no UTF-8 text, and cannot be opened here)";
    const found = ["a\uFFFD.txt", "b\uFFFD/c.txt", "plain.txt", two].join("\n");
    expect(await files.text("Grep", { pattern: "needle" })).toBe(found);
    expect(await files.text("Grep", { pattern: "needle", output_mode: "count" })).toContain("a\uFFFD.txt:1\n");
    expect(await files.text("Glob", { pattern: "**" })).toBe(found);
    expect((await files.text("List", {})).split("\n").at(-1)).toBe(two);
    expect(await files.text("Glob", { pattern: "*.ts" })).toContain("No file matches");
  });
});

describe.runIf(ripgrep !== undefined)("the program", () => {
  test("gets no environment, and none of its configuration", async () => {
    const commands: { args: readonly string[]; env: object; cwd: string }[] = [];
    const wrap = (command: never) => {
      commands.push(command);
      return command;
    };
    await using files = await kit({ attempt: { confinement: { wrap } as never } });
    await files.put({ a: "needle" });
    await files.text("Grep", { pattern: "needle" });
    await files.text("Glob", { pattern: "*" });
    expect(commands.map(({ env, cwd }) => [env, cwd])).toEqual([
      [{}, files.root],
      [{}, files.root],
    ]);
    for (const { args } of commands) expect(args).toEqual(expect.arrayContaining(["--no-config", "--no-follow", "--"]));
  });

  test("is ended with the attempt", async () => {
    await using files = await kit();
    files.pipe(".gitignore"); // it waits here for ever
    await mkdir(join(files.root, "a"));
    const running = files.run("Grep", { pattern: "needle", path: "." });
    await eventually("the program runs", () => processesIn(files.root).length === 1);
    files.stop.abort();
    expect(await running).toMatchObject({ text: expect.stringContaining("the attempt was stopped") });
    await eventually("the program is gone", () => processesIn(files.root).length === 0);
  });

  test("is ended when it takes too long", async () => {
    const alarm = () => ({ [Symbol.dispose]: () => undefined });
    const clock = { now: () => 0, monotonic: () => 0, sleep: async () => undefined, alarm };
    await using files = await kit({ clock });
    files.pipe(".gitignore");
    const { text } = await files.run("Glob", { pattern: "*" });
    expect(text).toContain("the search was not finished: it took too long");
  });

  test("is not missed where it cannot be started", async () => {
    await using missing = await kit({ ripgrep: "/nowhere/rg" });
    await missing.put({ a: "needle" });
    expect(await missing.text("Grep", { pattern: "needle" })).toBe("a");
    await using other = await kit({ ripgrep: "/bin/ls" }); // which knows nothing of such options
    await other.put({ a: "needle" });
    expect(await other.text("Glob", { pattern: "*" })).toBe("a");
  });
});
