import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { HttpAnswer } from "../../src/platform/http-answer.ts";
import { HttpBody, type OnBytes } from "../../src/platform/http-body.ts";

/** What comes in, by hand. */
function inflow(onBytes?: OnBytes) {
  const incoming = new Readable({ read: () => undefined });
  return { incoming, body: new HttpBody(incoming, onBytes) };
}

const answerOf = (body: HttpBody) =>
  new HttpAnswer(
    { url: "http://host/", status: 200, statusText: "OK", headers: new Headers({ "x-back": "yes" }) },
    body,
  );

const textOf = (value: Uint8Array | undefined) =>
  value === undefined ? undefined : Buffer.from(value).toString("utf8");

describe("the body of an answer", () => {
  test("what came before it was cut is read, and then that it was cut", async () => {
    const { incoming, body } = inflow();
    incoming.push("half");
    await sleep(5);
    incoming.destroy(new Error("gone"));
    await sleep(5);
    const reader = body.getReader();
    expect(textOf((await reader.read()).value)).toBe("half");
    await expect(reader.read()).rejects.toMatchObject({ message: "terminated", cause: { message: "gone" } });
    await expect(reader.closed).rejects.toThrow("terminated");
  });

  test("one reads at a time; a reader that was released reads no more", async () => {
    const { incoming, body } = inflow();
    const first = body.getReader();
    expect(body.locked).toBe(true);
    expect(() => body.getReader()).toThrow("somebody else reads this body");
    expect(() => body.tee()).toThrow("somebody else reads this body");
    await expect(body.cancel()).rejects.toThrow("somebody else reads this body");
    await expect(answerOf(body).text()).rejects.toThrow("somebody else reads this body");
    incoming.push("one");
    expect(textOf((await first.read()).value)).toBe("one");
    first.releaseLock();
    expect(body.locked).toBe(false);
    await expect(first.read()).rejects.toThrow("released");
    await expect(first.cancel()).rejects.toThrow("released");
    const second = body.getReader();
    incoming.push("two");
    incoming.push(null);
    expect(textOf((await second.read()).value)).toBe("two");
    expect(await second.read()).toEqual({ done: true, value: undefined });
    await second.closed;
  });

  test("who waits to read is told of the end, of a cut, and of being called off", async () => {
    const ended = inflow();
    const end = ended.body.getReader().read();
    ended.incoming.push(null);
    expect(await end).toEqual({ done: true, value: undefined });

    const cut = inflow();
    const cutOff = cut.body.getReader().read();
    cut.incoming.destroy();
    await expect(cutOff).rejects.toThrow("terminated");

    const left = inflow();
    const reader = left.body.getReader();
    const waiting = reader.read();
    await reader.cancel();
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(left.incoming.destroyed).toBe(true);
  });

  test("who counts is told of every piece; where it throws, that is the end, and nothing more is handed on", async () => {
    let bytes = 0;
    const { incoming, body } = inflow((count) => {
      bytes += count;
      if (bytes > 5) throw new Error("too much");
    });
    incoming.push("12345");
    await sleep(5);
    incoming.push("6");
    await sleep(5);
    expect(bytes).toBe(6);
    expect(incoming.destroyed).toBe(true);
    await expect(body.getReader().read()).rejects.toThrow("too much");
  });

  test("what comes in one go is counted once, and read as one piece", async () => {
    const counted: number[] = [];
    const { incoming, body } = inflow((count) => counted.push(count));
    const reader = body.getReader();
    for (const pieces of [
      ["a", "bc", "d"],
      ["e", "f"],
    ]) {
      for (const piece of pieces) incoming.push(piece);
      expect(textOf((await reader.read()).value)).toBe(pieces.join(""));
    }
    incoming.push("g");
    incoming.push(null);
    expect(textOf((await reader.read()).value)).toBe("g");
    expect(await reader.read()).toEqual({ done: true, value: undefined });
    expect(counted).toEqual([4, 2, 1]);
  });

  test("that is just as long as there is room for ends, although the end comes while there is none", async () => {
    const { incoming, body } = inflow();
    const reader = body.getReader();
    incoming.push(Buffer.alloc(256 * 1024, "x"));
    await sleep(5);
    incoming.push(null);
    await sleep(5);
    expect((await reader.read()).value).toHaveLength(256 * 1024);
    expect(await reader.read()).toEqual({ done: true, value: undefined });
  });

  test("a reader that stops for a while holds up the sender, and misses nothing", async () => {
    const { incoming, body } = inflow();
    const piece = Buffer.alloc(100_000, "x");
    for (let sent = 0; sent < 10; sent++) incoming.push(piece);
    incoming.push(null);
    await sleep(5);
    expect(incoming.isPaused()).toBe(true);
    expect(incoming.readableLength).toBeGreaterThan(500_000);
    const reader = body.getReader();
    let read = 0;
    for (let result = await reader.read(); !result.done; result = await reader.read()) read += result.value.length;
    expect(read).toBe(1_000_000);
  });

  test.each<[string, (answer: HttpAnswer, body: HttpBody) => Promise<unknown>]>([
    ["text", (answer) => answer.text()],
    ["json", async (answer) => JSON.stringify(await answer.json())],
    ["bytes", async (answer) => textOf(await answer.bytes())],
    ["arrayBuffer", async (answer) => textOf(new Uint8Array(await answer.arrayBuffer()))],
    ["blob", async (answer) => (await answer.blob()).text()],
    ["a clone", (answer) => answer.clone().text()],
    ["pieces", async (_answer, body) => textOf(await buffer(body))],
    ["a pipe", async (_answer, body) => (await Array.fromAsync(body.pipeThrough(new TextDecoderStream()))).join("")],
    ["one of two", async (_answer, body) => textOf(await buffer(body.tee()[1]))],
  ])("is all that one of the web is: %s", async (_what, read) => {
    const { incoming, body } = inflow();
    const answer = answerOf(body);
    expect([answer.ok, answer.bodyUsed, answer.headers.get("x-back")]).toEqual([true, false, "yes"]);
    const reading = read(answer, body);
    for (const piece of ['{"gr', '\u00fc\u00dfe"', ":1}"]) incoming.push(piece);
    incoming.push(null);
    expect(await reading).toBe('{"gr\u00fc\u00dfe":1}');
    expect(body.isUsed).toBe(true);
  });
});
