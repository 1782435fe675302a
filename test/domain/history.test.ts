import { describe, expect, test } from "vitest";
import { estimateTokens } from "../../src/domain/estimate-tokens.ts";
import { recentMessages } from "../../src/domain/history.ts";
import type { SessionMessage } from "../../src/schema/index.ts";
import { TASK } from "./samples.ts";

const said = (...contents: string[]): SessionMessage[] =>
  contents.map((content, index) => ({ role: index % 2 === 0 ? "user" : "assistant", content, task: TASK }));

const contents = (messages: readonly SessionMessage[]): string[] => messages.map(({ content }) => content);

describe("what is put before an agent of what was said before", () => {
  test("is all of it where it fits", () => {
    const all = said("a", "b", "c");
    expect(recentMessages(all, { maxHistory: 20, maxContextTokens: 1000 })).toEqual(all);
  });

  test("is the newest, as many as may be, in their order", () => {
    const kept = recentMessages(said("a", "b", "c"), { maxHistory: 2, maxContextTokens: 1000 });
    expect(contents(kept)).toEqual(["b", "c"]);
  });

  test("is the newest that fit: none before one that does not, even if it would", () => {
    const kept = recentMessages(said("short", "x".repeat(3000), "c"), { maxHistory: 20, maxContextTokens: 500 });
    expect(contents(kept)).toEqual(["c"]);
  });

  test("is the beginning of the newest, where that alone is too long", () => {
    const [only, ...more] = recentMessages(said("a", `Begin. ${"ü".repeat(9000)}`), {
      maxHistory: 20,
      maxContextTokens: 200,
    });
    expect(more).toEqual([]);
    expect(only?.content).toMatch(/^Begin\. ü+\n\(the rest is left out\)$/u);
    expect(estimateTokens(only?.content ?? "")).toBeLessThanOrEqual(200);
  });

  test("is nothing where nothing was said", () => {
    expect(recentMessages([], { maxHistory: 20, maxContextTokens: 200 })).toEqual([]);
  });
});
