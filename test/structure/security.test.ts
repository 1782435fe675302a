// docs/security.md is a promise: each of its rows is held, by a test that is there.
import { describe, expect, test } from "vitest";
import { files, read, tableOf } from "../docs/documents.ts";

const DOCUMENT = "docs/security.md";
const HEAD = ["Case", "Attack", "Layer", "Tier", "Result", "Held by"];
const CASES = 30;
const LAYERS = ["parse", "trust", "policy", "protocol", "os"];
const HELD_BY = /`(test\/[^`]+)`: "([^"]+)"/g;

const rows = tableOf(DOCUMENT, ...HEAD).map(([number, attack, layer, tier, result, heldBy]) => ({
  number: Number(number),
  attack,
  layers: layer?.split(", ") ?? [],
  tier,
  result: result ?? "",
  tests: [...(heldBy ?? "").matchAll(HELD_BY)].map(([, path = "", title = ""]) => ({ path, title })),
}));

test("there is a row for each of the thirty cases, in order", () => {
  expect(rows.map(({ number }) => number)).toEqual(Array.from({ length: CASES }, (_, index) => index + 1));
});

describe.each(rows)("case $number", ({ attack, layers, tier, result, tests }) => {
  test("says what is tried, which layer holds it, in which tier, and how far", () => {
    expect(attack).not.toBe("");
    expect(layers.filter((layer) => !LAYERS.includes(layer))).toEqual([]);
    expect(layers.length).toBeGreaterThan(0);
    expect(tier).toMatch(layers.includes("os") ? /`(?:os|namespace)`/ : /\bany\b/);
    expect(result).toBe("held");
  });

  test("names tests that are there", () => {
    expect(tests.length).toBeGreaterThan(0);
    expect(tests.filter(({ path, title }) => !files.includes(path) || !read(path).includes(`"${title}"`))).toEqual([]);
  });
});

test("every case that the attacks name is one of the document's, and every file of them is named there", () => {
  const attacks = files.filter((path) => /^test\/attacks\/[^/]+\.test\.ts$/.test(path));
  expect(attacks.length).toBeGreaterThan(0);
  expect(attacks.filter((path) => !read(DOCUMENT).includes(path))).toEqual([]);
  const named = attacks.flatMap((path) => [...read(path).matchAll(/"case (\d+)[:,]/g)].map(([, one]) => Number(one)));
  expect(named.filter((one) => one < 1 || one > CASES)).toEqual([]);
});
