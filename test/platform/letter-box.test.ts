import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { answerLetters, sendLetter } from "../../src/platform/letter-box.ts";
import { freshFolder } from "../fresh-folder.ts";

const freshBox = () => join(freshFolder("letters"), "box");

test("each of many gets its own answer, and nothing is left", async () => {
  const folder = freshBox();
  const box = answerLetters(folder, async (text) => `answer to ${text}`);
  const asked = Array.from({ length: 100 }, (_, index) => `question ${index}`);
  expect(await Promise.all(asked.map((text) => sendLetter(folder, text)))).toEqual(
    asked.map((text) => `answer to ${text}`),
  );
  expect(readdirSync(folder)).toEqual([]);
  await box[Symbol.asyncDispose]();
  expect(existsSync(folder)).toBe(false);
});

test("only so many are answered at a time", async () => {
  const folder = freshBox();
  let [now, most] = [0, 0];
  await using _box = answerLetters(folder, async () => {
    most = Math.max(most, ++now);
    await new Promise((resolve) => setTimeout(resolve, 5));
    now--;
    return "";
  });
  await Promise.all(Array.from({ length: 100 }, () => sendLetter(folder, "x")));
  expect(most).toBeLessThanOrEqual(64);
  expect(most).toBeGreaterThan(1);
});

test("what is no letter is not read, and does not keep others from their answers", async () => {
  const folder = freshBox();
  const secret = join(freshFolder("letters"), "secret");
  writeFileSync(secret, "not for you");
  const seen: string[] = [];
  await using _box = answerLetters(folder, async (text) => {
    seen.push(text);
    return text;
  });
  symlinkSync(secret, join(folder, `${"l".repeat(20)}.ask`));
  mkdirSync(join(folder, `${"d".repeat(20)}.ask`, "deeper"), { recursive: true });
  writeFileSync(join(folder, `${"b".repeat(20)}.ask`), Buffer.from([0xff, 0xfe, 0x00]));
  writeFileSync(join(folder, "short.ask"), "neither is this");
  expect(await sendLetter(folder, "hello")).toBe("hello");
  expect(seen).toEqual(["hello"]);
  expect(existsSync(secret)).toBe(true);
});

test("an answer does not follow a link that was laid in its way", async () => {
  const folder = freshBox();
  const victim = join(freshFolder("letters"), "victim");
  writeFileSync(victim, "untouched");
  const id = "v".repeat(20);
  const box = answerLetters(folder, async () => {
    symlinkSync(victim, join(folder, `${id}.answer`));
    return "for whoever asked";
  });
  writeFileSync(join(folder, `${id}.ask`), "x");
  await expect.poll(() => lstatSync(join(folder, `${id}.answer`), { throwIfNoEntry: false })?.isFile()).toBe(true);
  await box[Symbol.asyncDispose]();
  expect(readFileSync(victim, "utf8")).toBe("untouched");
});

test("once it is closed, nothing is taken any more, and nothing is left", async () => {
  const folder = freshBox();
  const [begun, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let taken = 0;
  const box = answerLetters(folder, async () => {
    taken++;
    begun.resolve();
    await goOn.promise;
    return "";
  });
  for (let index = 0; index < 150; index++) writeFileSync(join(folder, `${String(index).padStart(20, "0")}.ask`), "x");
  await begun.promise;
  const closed = box[Symbol.asyncDispose]();
  goOn.resolve();
  await closed;
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  expect(taken).toBeLessThanOrEqual(64);
  expect(existsSync(folder)).toBe(false);
});

test("what is too long is refused by whoever asks, and says what to do", async () => {
  const folder = freshBox();
  await using _box = answerLetters(folder, async (text) => text);
  await expect(sendLetter(folder, "x".repeat(33 * 1024 * 1024))).rejects.toThrow("at most 33554432 are taken");
});
