import { expect, test } from "vitest";
import { codeIn, tableOf } from "../../docs/documents.ts";
import { kit } from "./kit.ts";

test("docs/reference/tools.md has the file tools with their effects and fields", async () => {
  await using files = await kit();
  const rows = tableOf("docs/reference/tools.md", "Tool", "Effect", "Takes", "What it does");
  const written = new Map(
    rows.map(([name = "", effect = "", takes = ""]) => [codeIn(name)[0], [effect, takes].map(codeIn)]),
  );
  for (const { name, effect, inputSchema } of await files.again()) {
    expect(written.get(name), name).toEqual([[effect], Object.keys(inputSchema["properties"] ?? {})]);
  }
});
