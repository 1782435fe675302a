import { expect, test } from "vitest";
import { CONFIG_TEMPLATE } from "../../src/cli/render/config-template.ts";
import { KEY_NAMES, keyOf } from "../../src/config/keys.ts";
import { readConfigText } from "../../src/config/read-text.ts";

test("the config.yml of cadre init says nothing as it is", () => {
  expect(readConfigText(CONFIG_TEMPLATE, "config.yml")).toMatchObject({ entries: [], problems: [] });
});

test("uncommented, it holds every setting that a project may have, with its default", () => {
  const text = CONFIG_TEMPLATE.split("\n")
    .filter((line) => /^# *[a-z_]+:/.test(line))
    .map((line) => line.slice(2))
    .join("\n");
  const { entries, problems } = readConfigText(text, "config.yml");
  expect(problems).toEqual([]);
  const expected = KEY_NAMES.filter((key) => keyOf(key).userOnly !== true && keyOf(key).notProject !== true).map(
    (key) => [key, keyOf(key).fallback],
  );
  expect(entries.map(({ key, value }) => [key, value])).toEqual(expected);
});
