import { expect, test } from "vitest";
import { environmentSecrets } from "../../src/app/user-keys.ts";
import { sha256 } from "../../src/platform/system-mint.ts";

test("what is there is said by name and hash, as it is at that moment", async () => {
  const env: Record<string, string | undefined> = { ONE_KEY: "a", OTHER_KEY: "a", EMPTY_KEY: "" };
  const { available } = environmentSecrets(env, []);
  const names = ["ONE_KEY", "OTHER_KEY", "EMPTY_KEY", "MISSING_KEY"];
  const before = [
    { name: "ONE_KEY", sha256: sha256("a") },
    { name: "OTHER_KEY", sha256: sha256("a") },
  ];
  expect(await available(names)).toEqual(before);
  expect(await available(names)).toEqual(before);
  env["ONE_KEY"] = "b";
  delete env["OTHER_KEY"];
  expect(await available(names)).toEqual([{ name: "ONE_KEY", sha256: sha256("b") }]);
});
