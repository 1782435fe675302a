import { expect, test } from "vitest";
import { limitReached } from "../../src/domain/limit-reached.ts";
import type { TaskStatus, TaskView } from "../../src/schema/index.ts";

const NOW = 1_000_000;
const SETTINGS = { maxConcurrent: 2, rateLimitPerMin: 3 };

const begun = (status: TaskStatus, ...secondsAgo: readonly number[]): TaskView =>
  ({ status, attempts: secondsAgo.map((ago) => ({ startedAt: NOW - ago * 1000 })) }) as unknown as TaskView;

test.each([
  ["nothing has begun", [], null],
  ["there is room", [begun("running", 90), begun("waiting", 5), begun("completed", 5)], null],
  ["all slots are taken", [begun("running", 90), begun("running", 90)], "subagents.max_concurrent"],
  ["the minute is full", [begun("failed", 1, 30), begun("waiting", 59)], "subagents.rate_limit_per_min"],
  ["the oldest start is a minute ago", [begun("failed", 1, 30), begun("waiting", 60)], null],
])("where %s", (_, tasks, setting) => {
  expect(limitReached(tasks, SETTINGS, NOW)?.setting ?? null).toBe(setting);
});
