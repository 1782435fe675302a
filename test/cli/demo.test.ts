import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cadre, place } from "./command-line.ts";

test("the demo does real work, and says honestly where the words come from", async () => {
  const where = await place();
  const { exit, stdout, stderr } = await cadre(where, "demo", "--json");
  const { data } = JSON.parse(stdout) as {
    data: {
      project: string;
      tests: unknown;
      tasks: { status: string; calls: { refused: number }; spec: { definition: { name: string } } }[];
    };
  };
  expect(data.tasks.map(({ status }) => status)).toEqual(Array.from({ length: 5 }, () => "completed"));
  expect(data.tasks.find(({ spec }) => spec.definition.name === "auditor")?.calls.refused).toBe(1);
  expect(data.tests).toEqual({ passed: true, summary: "3 passed, 0 failed" });
  expect(readFileSync(join(data.project, "README.md"), "utf8")).toContain('slug("Hello, World!")');
  expect(stderr).toContain("What they say comes from a tape");
  expect(exit).toBe(0);
});
