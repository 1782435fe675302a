// Two versions may share a home. The older one must stop when the newer one may have written what it does not know.
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import type { LogEvent } from "../../src/schema/index.ts";
import { sha256 } from "../../src/platform/system-mint.ts";
import { MIGRATIONS } from "../../src/stores/sqlite/migrations.ts";
import { sqliteStore } from "../../src/stores/sqlite/sqlite-store.ts";
import { fakeClock } from "../../src/testing/index.ts";
import { admitted } from "../../src/testing/store-contract/given.ts";
import { freshFolder } from "../fresh-folder.ts";

/** By which shape of the database all who may use it know an event. A new event is a new step, which may be empty. */
const KNOWN_BY = {
  "task.admitted": 7,
  "attempt.started": 7,
  "attempt.suspended": 7,
  "attempt.resumed": 7,
  "task.requeued": 7,
  "task.interrupted": 7,
  "task.ended": 7,
  "attempt.prepared": 7,
  "workspace.kept": 7,
  "attempt.ended": 7,
  "turn.started": 7,
  "turn.ended": 7,
  "instruction.added": 7,
  "model.replied": 7,
  "model.failed": 7,
  "history.compacted": 7,
  "results.shortened": 8,
  "message.said": 7,
  "message.received": 7,
  "tool.called": 7,
  "tool.refused": 7,
  "tool.returned": 7,
  "tool.reported": 7,
  "approval.asked": 7,
  "approval.answered": 7,
  "approval.expired": 7,
  "child.started": 7,
  "child.ended": 7,
  "budget.reserved": 7,
  "budget.settled": 7,
  "gate.checked": 7,
  "host.refused": 7,
  "note.taken": 7,
  "stop.requested": 7,
  "answer.given": 7,
  "message.sent": 7,
  "workspace.merged": 7,
  "workspace.discarded": 7,
  "session.opened": 7,
  "session.continued": 7,
  "message.kept": 7,
  "breadcrumb.left": 7,
  "session.expired": 7,
  "item.acknowledged": 7,
} as const satisfies Record<LogEvent["type"], number>;

/**
 * The events of each shape, as a hash of their names. Whoever uses a shape knows these and no others: what is new has a
 * number of its own, and a line of its own here.
 */
const EVENTS_OF = {
  7: "3772b16fbf94",
  8: "aeb6f1a5484f",
};

const shapeOf = (file: string): unknown => {
  using database = new DatabaseSync(file);
  return database.prepare("PRAGMA user_version").get()?.["user_version"];
};

const open = (file: string) => sqliteStore(file, fakeClock(), { token: () => "some" });

describe("a database", () => {
  test("has a shape by which every event is known", async () => {
    const file = join(freshFolder("log-shape"), "cadre.db");
    await (await open(file)).close();
    expect(shapeOf(file)).toBe(MIGRATIONS.length);
    expect(Math.max(...Object.values(KNOWN_BY))).toBeLessThanOrEqual(MIGRATIONS.length);
  });

  test("of a shape has the same events for ever", () => {
    const names = Map.groupBy(Object.entries(KNOWN_BY), ([, shape]) => shape);
    const hashes = [...names].map(([shape, known]) => [
      shape,
      sha256(
        known
          .map(([name]) => name)
          .toSorted()
          .join("\n"),
      ).slice(0, 12),
    ]);
    expect(Object.fromEntries(hashes)).toEqual(EVENTS_OF);
  });

  test("from before an event stays as it was, and those from before it refuse it from then on", async () => {
    const file = join(freshFolder("log-shape"), "cadre.db");
    const before = await open(file);
    const task = await admitted(before);
    await before.close();
    const old = new DatabaseSync(file);
    old.exec(`PRAGMA user_version = ${KNOWN_BY["results.shortened"] - 1}`);
    old.close();

    const store = await open(file);
    expect(await store.tasks({ limit: 9 })).toEqual([task]);
    await store.close();
    expect(shapeOf(file)).toBeGreaterThanOrEqual(KNOWN_BY["results.shortened"]);
  });
});
