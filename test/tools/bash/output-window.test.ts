import { expect, test } from "vitest";
import { OutputWindow } from "../../../src/tools/bash/output-window.ts";

/** What it should be, by keeping all. */
function expected(whole: string, half: number): string {
  const missing = whole.length - 2 * half;
  if (missing <= 0) return whole;
  return `${whole.slice(0, half)}\n[… ${missing} bytes are left out here …]\n${whole.slice(-half)}`;
}

test.each([1, 2, 3, 7, 10, 11, 25, 100])("keeps both ends, in pieces of %d bytes", (piece) => {
  for (const half of [1, 5, 10]) {
    for (let length = 0; length <= 45; length++) {
      const whole = Array.from({ length }, (_, at) => String.fromCodePoint(97 + (at % 26))).join("");
      const window = new OutputWindow(half);
      for (let at = 0; at < length; at += piece) window.take(Buffer.from(whole.slice(at, at + piece)));
      expect([window.text, window.missing]).toEqual([expected(whole, half), Math.max(0, length - 2 * half)]);
      expect(window.text).toBe(expected(whole, half)); // looking at it changes nothing
    }
  }
});
