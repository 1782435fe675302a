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

const unions = [TaskEvent, ControlEvent, SessionEvent, InboxEvent];
const fields = unions.flatMap((union) =>
  union.options.flatMap(({ shape }) => Object.keys(shape).map((field) => `${shape.type.value} ${field}`)),
);
const fieldsIn = (log: readonly Envelope[]) =>
  new Set(
    log.flatMap(({ event }) =>
      Object.entries(event).flatMap(([field, value]) => (value === undefined ? [] : [`${event.type} ${field}`])),
    ),
  );

test("every event that exists stands in a golden log, with every field that it may have", () => {
  const recorded = fieldsIn(versions.flatMap(logOf));
  expect(fields.filter((field) => !recorded.has(field))).toEqual([]);
});

test("all of them happen in the scenario that the next golden log is recorded from", async () => {
  const played = fieldsIn(await playEverything());
  expect(fields.filter((field) => !played.has(field))).toEqual([]);
});
