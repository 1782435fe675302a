import { expect, test } from "vitest";
import { LatestOnly } from "../../src/platform/latest-only.ts";

test("whoever asks while one is under way shares the next, and each name goes its own way", async () => {
  const latest = new LatestOnly<string>();
  const gate = Promise.withResolvers<void>();
  const log: string[] = [];
  const work = (name: string) => async () => {
    log.push(name);
    if (name === "first") await gate.promise;
    return name;
  };
  const first = latest.run("a", work("first"));
  const second = latest.run("a", work("second"));
  const third = latest.run("a", work("third"));
  await expect(latest.run("b", work("elsewhere"))).resolves.toBe("elsewhere");
  expect(log).toEqual(["first", "elsewhere"]);
  gate.resolve();
  await expect(Promise.all([first, second, third])).resolves.toEqual(["first", "second", "second"]);
  await expect(latest.run("a", work("later"))).resolves.toBe("later");
  expect(log).toEqual(["first", "elsewhere", "second", "later"]);
});

test("one that fails is told to those who asked for it, and keeps nobody from the next", async () => {
  const latest = new LatestOnly<string>();
  const failing = latest.run("a", async () => {
    throw new Error("no");
  });
  const next = latest.run("a", async () => "done");
  await expect(failing).rejects.toThrow("no");
  await expect(next).resolves.toBe("done");
});
