import { expect, test } from "vitest";
import { resultText } from "../../../src/tools/mcp/result-text.ts";

test("a result that is too long is cut, and says so also where its end is not seen", () => {
  const long = resultText({ content: [{ type: "text", text: "x".repeat(1024 * 1024 + 1) }] });
  expect(long.text.endsWith("x\n(cut at 1024 KB)")).toBe(true);
  expect(long.leftOut).toBe("only its first 1024 KB were kept");
  expect(resultText({ content: [{ type: "text", text: "x" }] })).toEqual({ text: "x", leftOut: undefined });
});
