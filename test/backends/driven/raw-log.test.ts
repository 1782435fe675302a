import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { RawLog, type RawLogOf } from "../../../src/backends/driven/raw-log.ts";
import { redactor } from "../../../src/domain/redaction.ts";
import { brandId } from "../../../src/schema/index.ts";
import { temporaryFolder } from "../../custody/kit.ts";

const SECRET = "sk-very-secret-0123456789";
const secrets = redactor([["KEY", SECRET]]);

async function written(fill: (raw: RawLog) => void, more: Partial<RawLogOf> = {}) {
  const home = temporaryFolder();
  const task = { id: brandId("task", "1") };
  const raw = new RawLog({
    home,
    attempt: { task, attempt: 2 } as RawLogOf["attempt"],
    scope: { redact: (value) => secrets.json(value) },
    ...more,
  });
  fill(raw);
  const notes: unknown[] = [];
  await raw.close({ signal: new AbortController().signal, append: async (note) => void notes.push(note) });
  const file = join(home, "logs", "task_1.raw.jsonl");
  const lines = readFileSync(file, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as unknown);
  return { lines, file, notes };
}

const pieceIn = (message: unknown) =>
  typeof message === "object" && message !== null && "delta" in message ? ["delta", "text"] : undefined;
const piece = (text: string, index = 0) => ({ index, delta: { text } });

it("keeps each message with its way, for the user alone", async () => {
  const { lines, file } = await written((raw) => {
    raw.add("out", { type: "hello" });
    raw.add("in", { type: "go" });
    raw.add("err", "a warning");
  });
  expect(lines).toEqual([
    { attempt: 2, way: "out", said: { type: "hello" } },
    { attempt: 2, way: "in", said: { type: "go" } },
    { attempt: 2, way: "err", said: "a warning" },
  ]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

it("holds no secret: in a text, in a name, in text that is no message, in pieces of one text", async () => {
  const { lines, file } = await written(
    (raw) => {
      raw.add("out", { [SECRET]: [`x ${SECRET} y`] });
      raw.add("out", `junk ${SECRET}`);
      for (const one of `the key is ${SECRET}!`) raw.add("out", piece(one));
      raw.add("out", { done: true });
    },
    { pieceIn },
  );
  expect(readFileSync(file, "utf8")).not.toContain(SECRET);
  expect(lines).toMatchObject([
    { said: { "{{secret:KEY}}": ["x {{secret:KEY}} y"] } },
    { said: "junk {{secret:KEY}}" },
    { said: { index: 0, delta: { text: "the key is {{secret:KEY}}!" } } },
    { said: { done: true } },
  ]);
});

it("finds one that lies across the places where a text without end is cut", async () => {
  const text = Array.from({ length: 12_000 }, () => SECRET).join("");
  const { file, lines } = await written(
    (raw) => {
      for (let at = 0; at < text.length; at += 1_000) raw.add("out", piece(text.slice(at, at + 1_000)));
    },
    { pieceIn },
  );
  const all = readFileSync(file, "utf8");
  expect(lines.length).toBeGreaterThan(2);
  for (let cut = 8; cut < SECRET.length; cut++) expect(all.includes(SECRET.slice(0, cut))).toBe(false);
});

it("is cut at its limit, and says so", async () => {
  const { lines, notes } = await written(
    (raw) => {
      for (let index = 0; index < 100; index++) raw.add("out", { index, text: "x".repeat(100) });
    },
    { mostBytes: 2_000 },
  );
  expect(notes).toMatchObject([{ type: "note.taken", text: expect.stringContaining("raw log is cut") as string }]);
  expect(lines.at(-1)).toEqual({ attempt: 2, cut: "only 2000 bytes are kept" });
  expect(lines.length).toBeLessThan(20);
});
