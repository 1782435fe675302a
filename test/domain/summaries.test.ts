import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { capText, oneLine, summarize } from "../../src/domain/summaries.ts";
import type { Outcome } from "../../src/schema/index.ts";

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

/** Any text that Unicode allows, of short and of long characters. A mark at its start is not a character. */
const anyCharacter = fc.oneof(
  fc.integer({ min: 0, max: 0x10_ff_ff }).map((code) => String.fromCodePoint(code)),
  fc.constantFrom("a", "é", "漢", "😀", "\u0000", "e\u0301", "\n"),
);
const anyText = fc
  .array(anyCharacter, { maxLength: 60 })
  .map((characters) => characters.join("").toWellFormed())
  .filter((text) => !text.startsWith("\uFEFF"));
const anyUnits = fc
  .array(fc.integer({ min: 0, max: 0xff_ff }), { maxLength: 60 })
  .map((units) => String.fromCharCode(...units));
/** Caps of a few bytes, told in kilobytes, so that short texts meet them. */
const anyCap = fc.nat({ max: 120 });

describe("a text that is cut to a cap", () => {
  it("never exceeds it, whatever the text", () => {
    fc.assert(
      fc.property(fc.oneof(anyText, anyUnits), anyCap, (text, cap) => {
        const cut = capText(text, cap / 1024);
        expect(bytesOf(cut.text)).toBeLessThanOrEqual(cap);
        expect(cut.truncated).toBe(bytesOf(text) > cap);
      }),
      { numRuns: 300 },
    );
  });

  it("is a beginning of it, never cut inside a character, and as long as fits", () => {
    fc.assert(
      fc.property(anyText, anyCap, (text, cap) => {
        const cut = capText(text, cap / 1024).text;
        expect(text.startsWith(cut)).toBe(true);
        expect(cut.isWellFormed()).toBe(true);
        const [next] = text.slice(cut.length);
        expect(next === undefined || bytesOf(cut + next) > cap).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ["fits to the byte", "a".repeat(1024), 1024, false],
    ["is a byte too long", "a".repeat(1025), 1024, true],
    ["has a character of two bytes across the cap", `${"a".repeat(1023)}é`, 1023, true],
    ["has a character of three bytes across the cap", `${"a".repeat(1022)}漢`, 1022, true],
    ["has a character of four bytes across the cap", `${"a".repeat(1021)}😀b`, 1021, true],
    ["has a character of four bytes just within the cap", `${"a".repeat(1020)}😀b`, 1024, true],
    ["is empty", "", 0, false],
  ])("that %s", (_, text, bytes, truncated) => {
    const cut = capText(text, 1);
    expect([bytesOf(cut.text), cut.truncated]).toEqual([bytes, truncated]);
    expect(text.startsWith(cut.text)).toBe(true);
  });
});

describe("one line of a text", () => {
  it.each([
    ["short", 10, "short"],
    ["  two\n\n lines\tof it ", 50, "two lines of it"],
    ["exactly ten", 11, "exactly ten"],
    ["twelve chars", 11, "twelve c..."],
    ["a word and more", 10, "a word..."],
    ["", 10, ""],
  ])("%j in %d characters is %j", (text, max, expected) => {
    expect(oneLine(text, max)).toBe(expected);
  });

  it("is one line and at most as long as it may be", () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 3, max: 40 }), (text, max) => {
        const line = oneLine(text, max);
        expect(line.length).toBeLessThanOrEqual(max);
        expect(line).not.toMatch(/[\n\r\t]/);
      }),
    );
  });

  it("never ends in half a character", () => {
    expect([4, 5, 6, 7, 8, 9].filter((max) => !oneLine("😀".repeat(10), max).isWellFormed())).toEqual([]);
  });
});

describe("what a parent is told of a child", () => {
  const completed = {
    status: "completed",
    answer: "There are\nthree.",
    output: null,
    evidence: "claimed",
    recovered: null,
    truncated: false,
  } as const satisfies Outcome;

  it.each([
    ["its answer", completed, "There are three."],
    [
      "why it failed",
      { status: "failed", reason: "timeout", message: "too slow", answer: "One." },
      "timeout: too slow",
    ],
    ["who stopped it", { status: "cancelled", by: "ada", how: "forced", answer: "One." }, "stopped by ada"],
  ] as const)("is %s", (_, outcome, expected) => {
    expect(summarize(outcome)).toBe(expected);
  });

  it("is short, on one line, however long the answer", () => {
    const summary = summarize({ ...completed, answer: "word\n".repeat(1_000) });
    expect(summary.length).toBeLessThanOrEqual(500);
    expect(summary).toMatch(/^(word )+.*\.\.\.$/);
  });
});
