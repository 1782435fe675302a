// A claim whose transaction is tried again because the database was busy mints tokens again: those of the try that
// came to nothing belong to no attempt.
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { sqliteStore } from "../../src/stores/sqlite/sqlite-store.ts";
import { type Script, testWorld } from "../../src/testing/index.ts";
import { freshFolder } from "../fresh-folder.ts";
import { withWorker } from "./kit.ts";

test.each([2, 3, 4])("an attempt is given the token of the try that counted, busy at token %i", async (busyAt) => {
  const world = testWorld();
  const file = join(freshFolder("claim-again"), "cadre.db");
  const store = await sqliteStore(file, world.clock, world.mint);
  onTestFinished(() => store.close());
  const other = new DatabaseSync(file, { timeout: 0 });
  onTestFinished(() => other.close());
  const minted: string[] = [];
  const mint = {
    ...world.mint,
    token: () => {
      // The claim holds the database just now: the other handle is told that it is busy, and so is the claim.
      if (minted.push(`try ${minted.length + 1}`) === busyAt) other.exec("BEGIN IMMEDIATE");
      return minted.at(-1) ?? "";
    },
  };
  const given = new Map<string, string>();
  const keeps: Script = async ({ task, token }) => {
    given.set(task.id, token);
    return { kind: "answered", answer: "done" };
  };
  await using engine = await withWorker([keeps, keeps, keeps, keeps], { world: { ...world, store, mint } });
  const requests = Array.from({ length: 4 }, () => engine.start({ agent: "worker" }));
  const started = await Promise.all(requests);
  engine.work();
  const tasks = await Promise.all(started.map(({ id }) => engine.until(id, "completed")));
  expect(minted.length, "it was tried again").toBeGreaterThan(tasks.length);
  for (const { id, attempts } of tasks) {
    expect(attempts).toHaveLength(1);
    expect(mint.sha256(given.get(id) ?? "")).toBe(attempts[0]?.tokenSha256);
  }
  expect(new Set(given.values()).size).toBe(tasks.length);
});
