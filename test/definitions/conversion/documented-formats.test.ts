import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { fieldsTable, placesTable, restrictionsTable } from "./format-tables.ts";

const page = readFileSync(new URL("../../../docs/reference/agent-formats.md", import.meta.url), "utf8");

test.each([
  ["where agents are looked for", placesTable],
  ["which fields each format keeps", fieldsTable],
  ["which restrictions each format keeps", restrictionsTable],
])("the documentation says %s", async (_, table) => {
  expect(page).toContain(await table());
});
