import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { nearestLines } from "../../../src/tools/files/edit/nearest-lines.ts";
import { replaceText } from "../../../src/tools/files/edit/replace-text.ts";
import { kit, type Kit } from "./kit.ts";

const SOURCE = `export function add(a: number, b: number) {
  return a + b;
}

export function sub(a: number, b: number) {
  return a - b;
}
`;

const edit = (old_string: string, new_string: string, more = {}) => ({
  file_path: "a.ts",
  old_string,
  new_string,
  ...more,
});
const now = (files: Kit) => readFile(join(files.root, "a.ts"), "utf8");

describe("Edit", () => {
  test("replaces a text that occurs once, and shows what changed", async () => {
    await using files = await kit();
    await files.put({ "a.ts": SOURCE });
    const text = await files.text("Edit", edit("a + b", "b + a"));
    expect(text).toContain("Edited a.ts.\n@@ -1,5 +1,5 @@");
    expect(text).toContain("-  return a + b;\n+  return b + a;");
    expect(await now(files)).toBe(SOURCE.replace("a + b", "b + a"));
  });

  test("says where a text occurs that is not unique", async () => {
    await using files = await kit();
    await files.put({ "a.ts": SOURCE });
    expect(await files.problem("Edit", edit("(a: number, b: number)", "()"))).toBe(
      "`old_string` occurs 2 times in a.ts (lines 1, 5). Add lines around it until it is unique, or set `replace_all`.",
    );
    expect(await files.text("Edit", edit("(a: number, b: number)", "()", { replace_all: true }))).toContain(
      "in 2 places",
    );
    expect(await now(files)).toBe(SOURCE.replaceAll("(a: number, b: number)", "()"));
  });

  test("shows the nearest lines where the text is absent", async () => {
    await using files = await kit();
    await files.put({ "a.ts": SOURCE });
    expect(await files.problem("Edit", edit("    return a + b;\n}", "x"))).toContain(
      "differs only in white space:\n     2\t  return a + b;\n     3\t}",
    );
    expect(await files.problem("Edit", edit("     2\t  return a + b;", "x"))).toContain("leave them out");
    expect(await files.problem("Edit", edit("export function subtract(a: number, b: number)", "x"))).toContain(
      "The nearest lines are:\n",
    );
    expect(await files.problem("Edit", edit("completely different words", "x"))).toContain("copy the text exactly");
    expect(await now(files)).toBe(SOURCE);
  });

  test("refuses to change nothing, and to look for nothing", async () => {
    await using files = await kit();
    await files.put({ "a.ts": SOURCE });
    expect(files.plan("Edit", edit("a", "a"))).toMatchObject({ ok: false });
    expect(files.plan("Edit", edit("", "a"))).toMatchObject({ ok: false });
  });

  test("wants a file that has changed since it was read to be read again", async () => {
    await using files = await kit();
    await files.put({ "a.ts": SOURCE });
    await files.text("Read", { file_path: "a.ts" });
    await files.put({ "a.ts": `// new\n${SOURCE}` });
    expect(await files.problem("Edit", edit("a + b", "x"))).toContain("has changed since it was read. Read it again");
    await files.text("Read", { file_path: "a.ts" });
    await files.text("Edit", edit("a + b", "x"));
  });

  test("keeps CRLF and a byte order mark, whichever line ends the model writes", async () => {
    await using files = await kit();
    const dos = `\uFEFF${SOURCE.replaceAll("\n", "\r\n")}`;
    await files.put({ "a.ts": dos });
    await files.text("Edit", edit("  return a + b;\n}", "  const c = a + b;\n  return c;\n}"));
    const expected = dos.replace("  return a + b;\r\n}", "  const c = a + b;\r\n  return c;\r\n}");
    expect(await now(files)).toBe(expected);
    await files.text("Edit", edit("return c;", "log(c);\nreturn c;"));
    expect(await now(files)).toBe(expected.replace("return c;", "log(c);\r\nreturn c;"));
  });

  test("keeps each line end of a file that mixes them", async () => {
    await using files = await kit();
    await files.put({ "a.ts": "a\r\nb\nc\r\nd\n" });
    await files.text("Edit", edit("c\nd", "c\nD"));
    expect(await now(files)).toBe("a\r\nb\nc\r\nD\n");
  });

  test("takes replacement patterns for what they are: text", async () => {
    await using files = await kit();
    await files.put({ "a.ts": "x = 1\n" });
    await files.text("Edit", edit("x", "$& $1 $` $$"));
    expect(await now(files)).toBe("$& $1 $` $$ = 1\n");
  });

  test("does not touch what is no UTF-8 text", async () => {
    await using files = await kit();
    await files.put({ "a.ts": Buffer.from("caf\xe9", "latin1"), "b.bin": Buffer.from("a\0b") });
    expect(await files.problem("Edit", edit("caf", "x"))).toContain("editing would spoil them");
    expect(await files.problem("Edit", { ...edit("a", "x"), file_path: "b.bin" })).toContain("is a binary file");
    expect(await files.problem("Edit", { ...edit("a", "x"), file_path: "no.ts" })).toContain("does not exist");
  });

  test("keeps its answer short, however much has changed", async () => {
    await using files = await kit();
    await files.put({ "a.ts": "x y\n".repeat(20_000) });
    const text = await files.text("Edit", edit("x", "z", { replace_all: true }));
    expect(text.length).toBeLessThan(40_000);
    expect(text).toContain("Edited a.ts in 20000 places.");
    expect(await now(files)).toBe("z y\n".repeat(20_000));
  });
});

describe("replaceText", () => {
  const word = fc.string({ unit: fc.constantFrom("a", "b", "\n", " ", "$", "&", "é", "😀"), maxLength: 12 });
  const some = fc.string({ unit: fc.constantFrom("a", "b", "\n", "$"), minLength: 1, maxLength: 4 });

  test("is what splitting by hand gives", () => {
    fc.assert(
      fc.property(word, some, word, word, (before, old, after, fresh) => {
        const text = before + old + after;
        const times = text.split(old).length - 1;
        const overlapping = [...text.matchAll(/(?=)/g)].filter(({ index }) => text.startsWith(old, index)).length;
        const all = replaceText(text, { old, new: fresh, all: true });
        expect(all).toEqual({ kind: "replaced", text: text.split(old).join(fresh), times });
        const one = replaceText(text, { old, new: fresh, all: false });
        const at = text.indexOf(old);
        const replaced = text.slice(0, at) + fresh + text.slice(at + old.length);
        expect(one).toMatchObject(
          overlapping === 1
            ? { kind: "replaced", text: replaced, times: 1 }
            : { kind: "ambiguous", times: overlapping },
        );
      }),
    );
  });

  test("is what Edit does to a file", async () => {
    await using files = await kit();
    await fc.assert(
      fc.asyncProperty(word, some, word, word, async (before, old, after, fresh) => {
        fc.pre(old !== fresh);
        const text = before + old + after;
        await files.text("Write", { file_path: "a.ts", content: text });
        await files.text("Edit", edit(old, fresh, { replace_all: true }));
        expect(await now(files)).toBe(text.split(old).join(fresh));
      }),
      { numRuns: 50 },
    );
  });

  test("gives the same lines for CRLF as for LF", () => {
    fc.assert(
      fc.property(word, some, word, word, (before, old, after, fresh) => {
        const text = `${before}${old}${after}\n`;
        const dos = (lf: string) => lf.replaceAll("\n", "\r\n");
        const plain = replaceText(text, { old, new: fresh, all: true });
        const other = replaceText(dos(text), { old, new: fresh, all: true });
        expect(other).toEqual(plain.kind === "replaced" ? { ...plain, text: dos(plain.text) } : plain);
      }),
    );
  });

  test("finds each of the lines", () => {
    expect(replaceText("x\ny\nx\nx x", { old: "x", new: "", all: false })).toEqual({
      kind: "ambiguous",
      lines: [1, 3, 4, 4],
      times: 4,
    });
  });
});

test("looking for the nearest lines takes its time with no text", () => {
  const text = `${"a ".repeat(2_000)}\n`.repeat(200);
  expect(nearestLines(text, "b ".repeat(5_000))).toBeUndefined();
  expect(nearestLines("", "x")).toBeUndefined();
  expect(nearestLines("a\n\nb", "\n\n")).toBeUndefined();
});
