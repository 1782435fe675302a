// The small parts: lines, reasons, models, places, answers.
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { reasonOf } from "../../../src/backends/cli/failure.ts";
import { jsonIn } from "../../../src/backends/driven/json-answer.ts";
import { chooseModel } from "../../../src/backends/cli/model-name.ts";
import { protectedIn, removeEmptied } from "../../../src/backends/cli/protected-in.ts";
import { placeOf } from "../../../src/backends/cli/place-of.ts";
import { type Line, readLines } from "../../../src/backends/driven/read-lines.ts";
import { claude } from "../../../src/backends/claude/claude.ts";
import { codex } from "../../../src/backends/codex/codex.ts";
import { isStrictSchema } from "../../../src/backends/codex/strict-schema.ts";
import { AgentDefinition } from "../../../src/schema/index.ts";
import { temporaryFolder } from "../../custody/kit.ts";

async function* bytes(...chunks: (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield typeof chunk === "string" ? Buffer.from(chunk) : chunk;
}

async function lines(stream: AsyncIterable<Uint8Array>, max = 100): Promise<Line[]> {
  return Array.fromAsync(readLines(stream, max));
}

describe("lines", () => {
  it("are put together over chunks, also through a character, and the last needs no end", async () => {
    const [a, b] = [Buffer.from("é").subarray(0, 1), Buffer.from("é").subarray(1)];
    expect(await lines(bytes("on", "e\n\n  \ntw", a, b, "\r\nthree"))).toEqual([
      { kind: "text", text: "one" },
      { kind: "text", text: "twé\r" },
      { kind: "text", text: "three" },
    ]);
  });

  it("that are no UTF-8 are read as well as they can be", async () => {
    expect(await lines(bytes(Buffer.from([0x61, 0xff, 0xfe, 0x62, 0x0a])))).toEqual([
      { kind: "text", text: "a\ufffd\ufffdb" },
    ]);
  });

  it("that are too long are left out, a gigabyte as well, and the next one is whole", async () => {
    const chunk = Buffer.alloc(1024 * 1024, "x");
    async function* long() {
      for (let count = 0; count < 1024; count++) yield chunk;
      yield Buffer.from("\nnext\n");
    }
    const before = process.memoryUsage.rss();
    expect(await lines(long())).toEqual([{ kind: "long" }, { kind: "text", text: "next" }]);
    expect(process.memoryUsage.rss() - before).toBeLessThan(200 * 1024 * 1024);
  });
});

it.each([
  [429, "whatever", "rate_limited"],
  [401, "whatever", "backend_unavailable"],
  [529, "overloaded", "backend_unavailable"],
  [400, "no quota in sight", "backend_error"],
  [undefined, "unexpected status 401 Unauthorized", "backend_unavailable"],
  [undefined, "You've hit your usage limit", "rate_limited"],
  [undefined, "connect ECONNREFUSED 127.0.0.1:1", "backend_unavailable"],
  [undefined, "something else", "backend_error"],
] as const)("an error %s, %s is %s", (status, words, reason) => {
  expect(reasonOf(status, words)).toBe(reason);
});

describe("a model's name", () => {
  const definition = (model: string) => AgentDefinition.parse({ name: "a", description: "b", model });
  const choose = (model: string | null, own = model ?? "inherit", resolve?: (name: string) => string) =>
    chooseModel({ model, definition: definition(own) }, claude.models, resolve);

  it("loses its provider, and short names that the CLI knows stay", () => {
    expect(choose("anthropic/claude-x")).toEqual({ kind: "named", name: "claude-x" });
    expect(choose("claude-x")).toEqual({ kind: "named", name: "claude-x" });
    expect(choose("opus")).toEqual({ kind: "named", name: "opus" });
    expect(choose(null)).toEqual({ kind: "own" });
  });

  it("of another provider is foreign where it was asked for, and no matter where it was inherited", () => {
    expect(choose("openai/gpt-5.5")).toEqual({ kind: "foreign", name: "openai/gpt-5.5" });
    expect(choose("openai/gpt-5.5", "inherit")).toEqual({ kind: "own", instead: "openai/gpt-5.5" });
  });

  it("may be a short one of ours", () => {
    const resolve = (name: string) => {
      if (name === "gpt") return "openai/gpt-6";
      throw new Error("unknown");
    };
    const of = (model: string) => chooseModel({ model, definition: definition(model) }, codex.models, resolve);
    expect(of("gpt")).toEqual({ kind: "named", name: "gpt-6" });
    expect(of("sonnet")).toEqual({ kind: "foreign", name: "sonnet" });
  });
});

it("says where a path leads, links followed", () => {
  const root = temporaryFolder();
  const outside = temporaryFolder();
  mkdirSync(join(root, "sub"));
  symlinkSync(outside, join(root, "link"));
  expect(placeOf("sub/new.txt", root)).toBe("sub/new.txt");
  expect(placeOf(join(root, "sub"), root)).toBe("sub");
  expect(placeOf(".", root)).toBe(".");
  expect(placeOf("link/deep/new.txt", root)).toBe(join(outside, "deep/new.txt"));
  expect(placeOf("../x", root)).toBe(join(root, "..", "x"));
});

it("finds the one JSON value of an answer", () => {
  expect(jsonIn('{"a": 1}')).toEqual({ a: 1 });
  expect(jsonIn('Here it is:\n```json\n{"a": 1}\n```\nDone.')).toEqual({ a: 1 });
  expect(jsonIn("none")).toBeUndefined();
});

it("knows which schemas are strict", () => {
  const whole = { type: "object", properties: { a: { type: "string" } }, required: ["a"], additionalProperties: false };
  expect(isStrictSchema(whole)).toBe(true);
  expect(isStrictSchema({ ...whole, required: [] })).toBe(false);
  expect(isStrictSchema({ ...whole, additionalProperties: true })).toBe(false);
  expect(isStrictSchema({ ...whole, properties: { a: { $ref: "#/x" } } })).toBe(false);
  expect(isStrictSchema({ type: "string" })).toBe(false);
});

it("takes away empty files in the place of protected ones, and nothing that was there or holds something", () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, ".claude"));
  const before = protectedIn(folder);
  for (const name of [".git", ".aws", ".codex"]) mkdirSync(join(folder, name));
  writeFileSync(join(folder, ".npmrc"), "");
  writeFileSync(join(folder, ".codex/config.toml"), "");
  writeFileSync(join(folder, ".envrc"), "export A=b");
  writeFileSync(join(folder, "empty.txt"), "");
  symlinkSync("/nowhere", join(folder, ".bashrc"));
  removeEmptied(folder, before);
  expect(readdirSync(folder).toSorted()).toEqual([".bashrc", ".claude", ".codex", ".envrc", "empty.txt"]);
});
