import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { ControlEvent, Envelope, InboxEvent, SessionEvent, TaskEvent } from "../../src/schema/index.ts";
import { fold } from "./fold.ts";
import { playEverything } from "./scenario.ts";

const folder = new URL(".", import.meta.url);
const read = (file: string) => readFileSync(new URL(file, folder), "utf8");
const versions = readdirSync(folder).flatMap((file) =>
  file.endsWith(".jsonl") ? [file.slice(0, -".jsonl".length)] : [],
);
const logOf = (version: string) =>
  read(`${version}.jsonl`)
    .trimEnd()
    .split("\n")
    .map((line) => Envelope.parse(JSON.parse(line)));

describe.each(versions)("the log of version %s", (version) => {
  test("is still read, and still means what it meant", () => {
    expect(fold(logOf(version))).toEqual(JSON.parse(read(`${version}.views.json`)));
  });
});

const types = [TaskEvent, ControlEvent, SessionEvent, InboxEvent].flatMap((union) =>
  union.options.map((option) => option.shape.type.value as string),
);

test("every event that exists stands in a golden log", () => {
  const recorded = new Set(versions.flatMap((version) => logOf(version).map(({ event }) => event.type as string)));
  expect(types.filter((type) => !recorded.has(type))).toEqual([]);
});

test("every event that exists happens in the scenario that the next golden log is recorded from", async () => {
  const played = new Set((await playEverything()).map(({ event }) => event.type as string));
  expect(types.filter((type) => !played.has(type))).toEqual([]);
});
