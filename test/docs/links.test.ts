import { posix } from "node:path";
import { describe, expect, test } from "vitest";
import { blocksOf, codeIn, documents, files, proseOf, read } from "./documents.ts";

const folders = new Set(
  files.flatMap((path) => path.split("/").map((_, index, parts) => parts.slice(0, index).join("/"))),
);
const isThere = (path: string) => files.includes(path) || folders.has(path.replace(/\/$/, ""));

/** As GitHub makes them of headings. */
const anchorsOf = (path: string): string[] =>
  [...proseOf(path).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );

function deadLinks(path: string): string[] {
  const targets = [...proseOf(path).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);
  return targets.filter((target) => {
    if (/^https?:/.test(target)) return false;
    const [file = "", anchor] = target.split("#");
    const found = file === "" ? path : posix.join(posix.dirname(path), file);
    return !isThere(found) || (anchor !== undefined && !anchorsOf(found).includes(anchor));
  });
}

/** Files that a document names in backticks, from the root of the repository. */
const namedFiles = (path: string): string[] =>
  codeIn(proseOf(path)).filter(
    (code) => /^(src|test|scripts|docs|demo|\.ci)\/[\w./-]+$/.test(code) && !code.includes("NNNN"),
  );

describe.each(documents)("%s", (path) => {
  test("has no relative link that leads nowhere", () => {
    expect(deadLinks(path)).toEqual([]);
  });

  test("names only files that exist", () => {
    expect(namedFiles(path).filter((file) => !isThere(file))).toEqual([]);
  });
});

test("the README has the two set-up commands, each whole and in a block of its own", () => {
  const commands = blocksOf("README.md").filter(({ text }) => text.includes("npm install"));
  expect(commands.map(({ text }) => text)).toEqual(["npm install && npm start\n", "npm install && npm test\n"]);
});

test("AGENTS.md stays short enough to be read", () => {
  expect(read("AGENTS.md").trimEnd().split("\n").length).toBeLessThan(150);
});

test("every decision is in the index", () => {
  const index = read("docs/decisions/README.md");
  const decisions = files.filter((path) => /^docs\/decisions\/\d{4}-/.test(path)).map((path) => posix.basename(path));
  expect(decisions.length).toBeGreaterThan(0);
  expect(decisions.filter((file) => !index.includes(`](${file})`))).toEqual([]);
});

test.each(files.filter((path) => /^docs\/decisions\/\d{4}-/.test(path)))(
  "%s says all that a decision has to say",
  (path) => {
    const headings = [...proseOf(path).matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
    expect(headings).toEqual(["Context", "Decision", "Alternatives", "Consequences", "How it is checked"]);
  },
);
