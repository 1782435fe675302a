import * as fc from "fast-check";
import { expect, test } from "vitest";
import { estimateTokens } from "../../src/domain/estimate-tokens.ts";

test("counts a token for every three bytes of UTF-8, begun ones too", () => {
  expect(["", "a", "abc", "abcd", "é", "日", "😀", "😀😀"].map(estimateTokens)).toEqual([0, 1, 1, 2, 1, 1, 2, 3]);
});

test("is the same as if the text were written out, for any well-formed text", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(estimateTokens(text)).toBe(Math.ceil(Buffer.byteLength(text) / 3));
    }),
  );
});

test("grows with the text, also where that is not well-formed", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(0xffff)), fc.nat(0xffff), (units, unit) => {
      const text = String.fromCharCode(...units);
      expect(estimateTokens(text + String.fromCharCode(unit))).toBeGreaterThanOrEqual(estimateTokens(text));
    }),
  );
});
