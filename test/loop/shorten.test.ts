import { expect, test } from "vitest";
import { shorten } from "../../src/loop/shorten.ts";
import { CallId } from "../../src/schema/index.ts";

const call = CallId.parse("call_1");
const long = `${"a".repeat(40_000)}end`;

test.each([
  [undefined, "The whole result is in kept.txt; read the part that you need.]"],
  ["7 bytes of it were not kept", "The rest is in kept.txt, but 7 bytes of it were not kept; read the part"],
])("a long result says where it is, and whether that is all of it: %s", async (leftOut, words) => {
  const kept: string[] = [];
  const shown = await shorten({ text: long, leftOut }, call, async (_, text) => (kept.push(text), "kept.txt"));
  expect(shown.truncated).toBe(true);
  expect(shown.text).toContain(`[10003 characters left out here. ${words}`);
  expect(kept).toEqual([long]);
});

test("one that fits is as it is", async () => {
  const never = () => Promise.reject(new Error("it is not kept"));
  expect(await shorten({ text: "short" }, call, never)).toEqual({ text: "short", truncated: false });
});
