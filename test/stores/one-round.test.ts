// What a process hears in one round of its event loop is written in one commit, although each piece is dealt with to its end
// before the next one is heard.
import { join } from "node:path";
import { expect, test } from "vitest";
import { Database } from "../../src/stores/sqlite/database.ts";
import { freshFolder } from "../fresh-folder.ts";

/** As sockets are: one callback after the other, and all that follows from one comes before the next. */
const heardTogether = (work: readonly (() => Promise<unknown>)[]): Promise<unknown[]> =>
  Promise.all(work.map((one) => new Promise((resolve) => setTimeout(() => resolve(one()), 1))));

test("what is heard in one round shares a commit", async () => {
  const database = await Database.open(join(freshFolder("round"), "cadre.db"));
  const write = (sql: string) => () => database.transaction("process", () => database.run(sql));
  await write("CREATE TABLE words (word TEXT)")();
  let commits = 0;
  database.onCommit(() => commits++);
  await heardTogether(["a", "b", "c"].map((word) => write(`INSERT INTO words VALUES ('${word}')`)));
  expect(database.all("SELECT word FROM words ORDER BY rowid").map((row) => row["word"])).toEqual(["a", "b", "c"]);
  expect(commits).toBe(1);
  await database.close();
});
