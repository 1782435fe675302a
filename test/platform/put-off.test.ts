import { expect, test } from "vitest";
import { PutOff } from "../../src/platform/put-off.ts";

const recorder = () => {
  const done: string[] = [];
  const three = Promise.withResolvers<void>();
  const work = (name: string) => async () => {
    if (done.push(name) === 3) three.resolve();
    if (name === "broken") throw new Error("on purpose");
  };
  return { done, work, three: three.promise };
};

test("is done a while later, the oldest first, also after one that failed", async () => {
  const { done, work, three } = recorder();
  const putOff = new PutOff(1, 2);
  for (const name of ["one", "broken", "three"]) putOff.put(name, work(name));
  expect(done).toEqual([]);
  await three;
  expect(done).toEqual(["one", "broken", "three"]);
});

test("is done once, however often it is put off, and not at all where it was done otherwise", async () => {
  const { done, work, three } = recorder();
  const putOff = new PutOff(1, 16);
  for (const name of ["one", "two", "one", "three", "four"]) putOff.put(name, work(name));
  putOff.drop("two");
  await three;
  expect(done).toEqual(["one", "three", "four"]);
});

test.each([
  ["a while later", () => undefined],
  ["where all is wanted", (putOff: PutOff) => putOff.doAll()],
])("what an earlier one does along with its own is not begun, %s", async (_when, hurry) => {
  const { done, work, three } = recorder();
  const putOff = new PutOff(1, 16);
  putOff.put("both", async () => {
    putOff.drop("second");
    await work("both")();
  });
  for (const name of ["second", "third", "fourth"]) putOff.put(name, work(name));
  await hurry(putOff);
  await three;
  expect(done).toEqual(["both", "third", "fourth"]);
});

test("is done at once where all is wanted, and not a second time", async () => {
  const { done, work } = recorder();
  const putOff = new PutOff(1, 16);
  putOff.put("one", work("one"));
  await putOff.doAll();
  const next = Promise.withResolvers<void>();
  putOff.put("next", async () => next.resolve());
  await next.promise;
  expect(done).toEqual(["one"]);
});

test("all is done only when what has begun already is", async () => {
  const [begun, slow] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const putOff = new PutOff(1, 16);
  let isDone = false;
  putOff.put("slow", async () => {
    begun.resolve();
    await slow.promise;
    isDone = true;
  });
  await begun.promise;
  const all = putOff.doAll();
  setImmediate(slow.resolve);
  await all;
  expect(isDone).toBe(true);
});

test("where all is wanted, one that fails keeps no other from being done, and is told", async () => {
  const { done, work } = recorder();
  const putOff = new PutOff(1, 16);
  for (const name of ["broken", "last"]) putOff.put(name, work(name));
  await expect(putOff.doAll()).rejects.toThrow("on purpose");
  expect(done).toEqual(["broken", "last"]);
});

test("whoever waits for all waits for what the clock has begun meanwhile, too", async () => {
  const putOff = new PutOff(1, 1);
  const slow = Promise.withResolvers<void>();
  let underWay = 0;
  const work = async () => {
    underWay++;
    await slow.promise;
    underWay--;
  };
  for (const name of ["one", "two", "three"]) putOff.put(name, work);
  const all = putOff.doAll();
  setTimeout(slow.resolve, 50); // long after the clock has looked
  await all;
  expect(underWay).toBe(0);
});
