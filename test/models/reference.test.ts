import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { modelVariables, openModels } from "../../src/models/index.ts";
import { fakeClock } from "../../src/testing/index.ts";

const page = readFileSync(join(import.meta.dirname, "..", "..", "docs", "reference", "models.md"), "utf8");

test("docs/reference/models.md has every provider, variable and alias", () => {
  const { providers, aliases } = openModels({ env: {}, clock: fakeClock() });
  const words = [...providers, ...modelVariables(), ...Object.keys(aliases), ...Object.values(aliases)];
  expect(words.filter((word) => !page.includes(`\`${word}\``))).toEqual([]);
});

test("docs/reference/models.md shows settings that are understood", async () => {
  const { parse } = await import("yaml");
  const yaml = /```yaml\n([\s\S]*?)```/.exec(page)?.[1] ?? "";
  const { models: settings } = parse(yaml) as { models: object };
  const models = openModels({ env: {}, settings, clock: fakeClock() });
  expect(models.resolve("fast")).toBe("local/llama-3.3-70b");
  expect(await models.facts("fast")).toMatchObject({ contextTokens: 32_768, maxOutputTokens: 4096 });
});
