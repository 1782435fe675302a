import { describe, expect, test } from "vitest";
import * as fc from "fast-check";
import { mintId, mintToken, sha256 } from "../../src/platform/system-mint.ts";
import { TaskId } from "../../src/schema/index.ts";

const LATEST = 32 ** 10 - 1;
const time = fc.integer({ min: 0, max: LATEST });

describe("ids", () => {
  test("hold a time of 10 characters and 26 random ones", () => {
    const id = mintId(Date.parse("2026-01-01T00:00:00Z"));
    expect(id).toMatch(/^01kdvdna00[0-9a-hjkmnp-tv-z]{26}$/);
    expect(TaskId.safeParse(`task_${id}`).success).toBe(true);
  });

  test("sort by the time they were made", () => {
    fc.assert(
      fc.property(time, time, (a, b) => {
        const [first, second] = [mintId(Math.min(a, b)), mintId(Math.max(a, b))];
        expect(first.slice(0, 10) === second.slice(0, 10)).toBe(a === b);
        expect(first.slice(0, 10) <= second.slice(0, 10)).toBe(true);
      }),
    );
  });

  test("of the same moment differ, and use the whole alphabet", () => {
    const ids = Array.from({ length: 2000 }, () => mintId(0));
    expect(new Set(ids).size).toBe(2000);
    expect(new Set(ids.map((id) => id.slice(-26)).join("")).size).toBe(32);
  });
});

describe("tokens and hashes", () => {
  test("a token holds 256 bits and is never the same", () => {
    const tokens = Array.from({ length: 100 }, mintToken);
    expect(new Set(tokens).size).toBe(100);
    expect(tokens.every((token) => Buffer.from(token, "base64url").length === 32)).toBe(true);
  });

  test("a hash is SHA-256 of the UTF-8 bytes, in hex", () => {
    expect(sha256("")).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    expect(sha256("é")).toBe(sha256(Buffer.from([0xc3, 0xa9]).toString("utf8")));
    expect(sha256("a")).not.toBe(sha256("A"));
  });
});
