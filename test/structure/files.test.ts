import { describe, expect, it } from "vitest";
import { repositoryFiles } from "../../scripts/repository-files.ts";
import { readSource } from "../../scripts/source-graph.ts";
import { badHabits } from "../../scripts/test-habits.ts";

/** Files of src that hold nothing but data and may be as long as it is. */
const dataFiles: readonly string[] = [];

const files = repositoryFiles();
const code = files.filter((path) => /^(src|test|scripts)\/.*\.[cm]?[jt]sx?$/.test(path));
const typescript = code.filter((path) => path.endsWith(".ts"));

function linesOf(path: string): number {
  return readSource(path).trimEnd().split("\n").length;
}

function longerThan(limit: number, folder: string): string[] {
  const long = typescript.filter((path) => path.startsWith(`${folder}/`) && linesOf(path) > limit);
  return long.filter((path) => !dataFiles.includes(path)).map((path) => `${path}: ${linesOf(path)} lines`);
}

describe("the files", () => {
  it("have kebab-case names", () => {
    const kebab = /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9-]+)*$/;
    expect(code.filter((path) => !path.split("/").every((part) => kebab.test(part)))).toEqual([]);
  });

  it("are TypeScript that runs without a build", () => {
    expect(code.filter((path) => !path.endsWith(".ts") && path !== "scripts/preflight.mjs")).toEqual([]);
  });

  it("are at most 400 lines long in src and 600 in test", () => {
    expect([...longerThan(400, "src"), ...longerThan(600, "test")]).toEqual([]);
  });
});

describe("the tests", () => {
  it("mock no module and leave no test out", () => {
    expect(typescript.flatMap((path) => badHabits(path, readSource(path)))).toEqual([]);
  });

  const habits: [text: string, what: string][] = [
    ['vi.mock("../src/x.ts");', "vi.mock"],
    ['vi.doMock("../src/x.ts");', "vi.doMock"],
    ['it.skip("later", () => {});', "it.skip"],
    ['describe.only("this", () => {});', "describe.only"],
    ['test.todo("that");', "test.todo"],
    ['it.each([1]).only("one", () => {});', "it.only"],
    ['it.concurrent.skip("one", () => {});', "it.skip"],
    ['it("one", { skip: true }, () => {});', "it with the option skip"],
  ];

  it.each(habits)("would be caught with `%s`", (text, what) => {
    expect(badHabits("test/x.test.ts", text)).toEqual([`test/x.test.ts: ${what} (line 1)`]);
  });

  it("may use words that only look alike", () => {
    const text =
      'const spy = vi.fn(); list.skip(2); it("x", () => { query({ only: 1 }); expect(".skip").toBe(spy); });';
    expect(badHabits("test/x.test.ts", text)).toEqual([]);
  });
});

describe("paths of one machine", () => {
  // In pieces, so that this file is not found by its own search.
  const folders = ["work/", "root/", "home/[a-z_]"].join("|");
  const machinePath = new RegExp(`(?<![\\w.~$}*>-])/(?:${folders})`, "u");

  it("are found in quotes, in prose and in URLs of files", () => {
    const slash = "/";
    for (const path of [`${slash}work/x`, `${slash}root/.config`, `${slash}home/ada`, `file://${slash}work/x`]) {
      expect(`see "${path}"`).toMatch(machinePath);
      expect(path).toMatch(machinePath);
    }
    for (const path of ["demo/work/x", `${slash}workspace/x`, "./root/x", "https://example.org/home/x"]) {
      expect(`see "${path}"`).not.toMatch(machinePath);
    }
  });

  it("stand in no file of the repository", () => {
    const found = files.flatMap((path) => {
      const text = readSource(path);
      if (text.includes("\0")) return [];
      const lines = text.split("\n");
      return lines.flatMap((line, index) => (machinePath.test(line) ? [`${path}:${index + 1}`] : []));
    });
    expect(found).toEqual([]);
  });
});
