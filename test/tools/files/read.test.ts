import { mkdir, open, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { MOST_SHOWN } from "../../../src/domain/summaries.ts";
import { kit } from "./kit.ts";

describe("Read", () => {
  test("shows lines with their numbers", async () => {
    await using files = await kit();
    await files.put({ "src/a.ts": "one\n\nthree" });
    expect(await files.text("Read", { file_path: "src/a.ts" })).toBe("     1\tone\n     2\t\n     3\tthree");
  });

  test("takes absolute paths below the workspace", async () => {
    await using files = await kit();
    await files.put({ "a.txt": "text" });
    expect(await files.text("Read", { file_path: join(files.root, "a.txt") })).toContain("text");
  });

  test("reads a window, and says how to go on", async () => {
    await using files = await kit();
    await files.put({ "long.txt": "x\n".repeat(5_000) });
    const first = await files.text("Read", { file_path: "long.txt" });
    expect(first).toContain("  2000\tx\n\n(lines 1 to 2000 of 5000; go on with offset 2001)");
    expect(await files.text("Read", { file_path: "long.txt", offset: 4_999, limit: 10 })).toBe("  4999\tx\n  5000\tx");
    expect(await files.problem("Read", { file_path: "long.txt", offset: 5_001 })).toContain("has 5000 lines");
  });

  test("cuts long lines, without holding a huge one", async () => {
    await using files = await kit();
    await files.put({ "min.js": `${"x".repeat(3_000_000)}\nend\n` });
    const text = await files.text("Read", { file_path: "min.js" });
    expect(text.length).toBeLessThan(2_200);
    expect(text).toContain("(cut: the line has 3000000 bytes)\n     2\tend");
  });

  test("bounds what it returns, however many lines are asked for", async () => {
    await using files = await kit();
    await files.put({ "wide.txt": `${"y".repeat(1_000)}\n`.repeat(5_000) });
    const text = await files.text("Read", { file_path: "wide.txt", limit: 5_000 });
    expect(text.length).toBeLessThan(120_000);
    expect(text).toMatch(/\(lines 1 to \d+ of 5000; go on with offset \d+\)$/);
  });

  test.each([3, 40, 1_999])("shows what a model is shown of it, and nothing is lost on the way (%d)", async (width) => {
    await using files = await kit();
    const whole = Array.from({ length: 2_100 }, (_, index) => `${index} ${"é".repeat(width)}`.slice(0, width));
    await files.put({ "wide.txt": `${whole.join("\n")}\n` });
    const read: string[] = [];
    for (let offset: number | undefined = 1; offset !== undefined;) {
      const text: string = await files.text("Read", { file_path: "wide.txt", offset, limit: 10_000 });
      expect(text.length).toBeLessThanOrEqual(MOST_SHOWN);
      const [lines = "", note = ""] = text.split("\n\n(");
      read.push(...lines.split("\n").map((line) => line.replace(/^ *\d+\t/, "")));
      const next: string | undefined = /go on with offset (\d+)/.exec(note)?.[1];
      offset = next === undefined ? undefined : Number(next);
    }
    expect(read).toEqual(whole);
  });

  test("reads a window of a file that is larger than memory should hold", async () => {
    await using files = await kit();
    await using handle = await open(join(files.root, "huge.log"), "w");
    await handle.write(`first\nsecond\n${"x".repeat(10_000)}\n`);
    await handle.write("last\n", 300 * 1024 * 1024);
    const text = await files.text("Read", { file_path: "huge.log", limit: 1 });
    expect(text).toBe("     1\tfirst\n\n(lines 1 to 1 of a very large file; go on with offset 2)");
    expect(await files.problem("Read", { file_path: "huge.log", offset: 5 })).toContain(
      "only the first 256 MB of a file are read",
    );
  });

  test("says what it does not show: line ends, a byte order mark, broken bytes", async () => {
    await using files = await kit();
    await files.put({
      "dos.txt": "a\r\nb\r\n",
      "mark.txt": "\uFEFFa\n",
      "latin.txt": Buffer.from("caf\xe9\n", "latin1"),
      "empty.txt": "",
    });
    expect(await files.text("Read", { file_path: "dos.txt" })).toBe(
      "     1\ta\n     2\tb\n\n(lines end in CRLF, which Edit keeps)",
    );
    // What Edit goes by is the whole file, also where only some of it is shown.
    const mixed = "(some lines end in CRLF, others in LF: edit those together that end in the same way)";
    await files.put({ "mixed.txt": "a\r\nb\nc\r\n", "last.txt": `a\r\n${"x".repeat(65_532)}\r\nlast` });
    expect(await files.text("Read", { file_path: "mixed.txt" })).toBe(`     1\ta\n     2\tb\n     3\tc\n\n${mixed}`);
    expect(await files.text("Read", { file_path: "mixed.txt", limit: 1 })).toContain("some lines end in CRLF, others");
    expect(await files.text("Read", { file_path: "last.txt" })).toContain("(lines end in CRLF, which Edit keeps)");
    expect(await files.text("Read", { file_path: "mark.txt" })).toContain("     1\ta\n\n(the file begins with a byte");
    expect(await files.text("Read", { file_path: "latin.txt" })).toContain("no UTF-8");
    await files.put({ "sign.txt": "a \uFFFD that is meant\n" });
    expect(await files.text("Read", { file_path: "sign.txt" })).toBe("     1\ta \uFFFD that is meant");
    expect(await files.text("Read", { file_path: "empty.txt" })).toBe("(empty.txt is empty)");
  });

  test.each([
    ["image.png", Buffer.from("\x89PNG\r\n\x1a\n\0\0", "latin1"), "a PNG image of 10 bytes: images are named"],
    ["photo.jpg", Buffer.from("\xff\xd8\xff\xe0", "latin1"), "a JPEG image"],
    ["doc.pdf", Buffer.from("%PDF-1.7\n"), "a PDF document"],
    ["data", Buffer.from("abc\0def"), "a binary file of 7 bytes, and cannot be read as text"],
    ["wide.txt", Buffer.from("\uFEFFabc", "utf16le"), "UTF-16 text"],
  ])("names %s, and does not show it", async (name, bytes, what) => {
    await using files = await kit();
    await files.put({ [name]: bytes });
    expect(await files.problem("Read", { file_path: name })).toContain(what);
  });

  test("sends those who ask for a folder to List", async () => {
    await using files = await kit();
    await mkdir(join(files.root, "src"));
    for (const path of ["src", "src/", "."])
      expect(await files.problem("Read", { file_path: path })).toContain("is a folder. Use List");
  });

  test.each([
    [["Read", "Glob"], "src is a folder. Use Glob to see what is in it.", "Look for it with Glob."],
    [["Read"], "src is a folder.", "no/such/thing does not exist."],
  ])("names only tools that an agent with %j has", async (allow, ofFolder, ofNothing) => {
    await using files = await kit({ rules: [{ from: "agent", allow, ask: [], deny: [] }] });
    await mkdir(join(files.root, "src"));
    expect(await files.problem("Read", { file_path: "src" })).toBe(ofFolder);
    expect((await files.problem("Read", { file_path: "no/such/thing" })).endsWith(ofNothing)).toBe(true);
  });

  test("guesses what was meant", async () => {
    await using files = await kit();
    await files.put({ "src/index.ts": "", "src/Read.ts": "", "cafe\u0301.md": "" });
    expect(await files.problem("Read", { file_path: "src/indx.ts" })).toContain('Did you mean "src/index.ts"?');
    expect(await files.problem("Read", { file_path: "src/read.ts" })).toContain("upper and lower case");
    expect(await files.problem("Read", { file_path: "caf\u00e9.md" })).toContain("letters with marks");
    expect(await files.problem("Read", { file_path: "src\\index.ts" })).toContain('separated by "/"');
    expect(await files.problem("Read", { file_path: "no/such/thing" })).toContain("does not exist");
  });

  test("does not name files that may not be read, even in a guess", async () => {
    await using files = await kit({ read: ["src"] });
    await files.put({ "secret.key": "", "src/a": "" });
    expect(await files.problem("Read", { file_path: "secret.kex" })).not.toContain("secret.key");
  });

  test("does not wait at pipes and sockets", async () => {
    await using files = await kit();
    files.pipe("pipe");
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(join(files.root, "socket"), resolve));
    try {
      expect(await files.problem("Read", { file_path: "pipe" })).toContain("It is a named pipe");
      expect(await files.problem("Read", { file_path: "socket" })).toContain("It is a socket");
    } finally {
      server.close();
    }
  });

  test("stops when the attempt does", async () => {
    await using files = await kit();
    await writeFile(join(files.root, "a"), "text");
    files.stop.abort();
    expect(await files.problem("Read", { file_path: "a" })).toBe("The attempt was stopped.");
  });

  test("is done again after a worker's death: it changes nothing", async () => {
    await using files = await kit();
    await files.put({ a: "text" });
    expect(await files.reattach("Read", { file_path: "a" })).toMatchObject({ ok: true });
  });
});
