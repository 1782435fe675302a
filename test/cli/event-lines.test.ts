// Names that a model or a file made up, on their way to a terminal.
import { expect, test } from "vitest";
import { asCalled } from "../../src/cli/render/as-called.ts";
import { colorsFor } from "../../src/cli/render/colors.ts";
import { eventLine } from "../../src/cli/render/events.ts";
import type { Envelope, TaskEvent } from "../../src/schema/index.ts";

const EVIL = "\u001b]0;owned\u0007";
const decision = { verdict: "deny", rule: EVIL, sure: true } as const;
const seen = (event: object): string | null => eventLine({ event: event as TaskEvent } as Envelope, colorsFor(false));

test.each([
  { type: "tool.called", call: "call_1", tool: EVIL, input: { path: EVIL } },
  { type: "tool.refused", call: "call_1", tool: EVIL, input: {}, decision },
  { type: "tool.reported", tool: EVIL, input: {}, ok: true, output: "" },
  { type: "model.failed", model: EVIL, message: EVIL, retryInMs: null },
  { type: "gate.checked", gate: EVIL, passed: false, feedback: EVIL },
])("$type shows control characters as what they are", (event) => {
  expect(seen(event)).toContain("\\u001b]0;owned\\u0007");
  expect(seen(event)).not.toContain("\u001b");
});

test("a gate is a short line, passed or not", () => {
  const gate = { type: "gate.checked", gate: "npm test" };
  expect(seen({ ...gate, passed: true, feedback: null })).toBe("gate npm test: passed");
  expect(seen({ ...gate, passed: false, feedback: "2 tests failed\nsee log" })).toMatch(
    /^gate npm test: not passed \(2 tests failed.*see log\)$/,
  );
  expect(seen({ ...gate, passed: false, feedback: null })).toBe("gate npm test: not passed");
});

test("delegation by the tool of one agent is shown with that agent", () => {
  const call = { id: "toolu_1", tool: "Explore", input: { prompt: "look" } };
  const task = { call: "call_1", tool: "Task", effect: "delegate", input: { prompt: "look" } };
  const events = [
    { type: "model.replied", calls: [call] },
    { type: "tool.called", ...task, of: "toolu_1" },
    { type: "tool.called", ...task, of: null },
  ].map((event) => ({ stream: "task:task_1", event }) as unknown as Envelope);
  const lines = events.map(asCalled()).map((envelope) => eventLine(envelope, colorsFor(false)));
  expect(lines).toEqual([null, "Explore look", "Task look"]);
});
