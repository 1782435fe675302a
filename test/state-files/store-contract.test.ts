import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Store } from "../../src/ports/index.ts";
import { sqliteStore } from "../../src/stores/sqlite/sqlite-store.ts";
import { makeLayout, withStateFiles } from "../../src/stores/state-files/index.ts";
import { fakeClock, fakeMint, memoryStore, storeContract } from "../../src/testing/index.ts";
import { temporaryFolder } from "./kit.ts";

const problems: string[] = [];

function showing(home: string) {
  const clock = fakeClock();
  const layout = makeLayout(home, join(home, ".."));
  const options = { layout, clock, onProblem: (message: string) => void problems.push(message) };
  return { clock, show: (store: Store) => withStateFiles(store, options) };
}

describe("the memory store with state files keeps the store's contract:", () => {
  const open = async () => {
    const { clock, show } = showing(join(temporaryFolder(), ".cadre"));
    const inner = memoryStore(clock);
    return { store: show(inner), clock, another: async () => show(inner) };
  };
  test.each(storeContract)("$name", async ({ run }) => {
    await expect(run(open)).resolves.toBeUndefined();
    expect(problems).toEqual([]);
  });
});

describe("the SQLite store with state files keeps the store's contract:", () => {
  const open = async () => {
    const home = join(temporaryFolder(), ".cadre");
    mkdirSync(home);
    const { clock, show } = showing(home);
    const handle = async () => show(await sqliteStore(join(home, "cadre.db"), clock, fakeMint()));
    return { store: await handle(), clock, another: handle };
  };
  test.each(storeContract)("$name", async ({ run }) => {
    await expect(run(open)).resolves.toBeUndefined();
    expect(problems).toEqual([]);
  });
});
