// `status` is answered without loading the commands, wherever reading is enough: with the same words.
import { expect, test } from "vitest";
import { readSourceGraph, resolveRelative } from "../../scripts/source-graph.ts";
import { agentFile, cadre, place, start } from "./command-line.ts";

const FILES = {
  ".cadre/agents/oracle.md": agentFile("oracle", "  - answer: Hello.\n"),
  ".cadre/agents/slow.md": agentFile("slow", "  - say: one moment\n  - pause_ms: 60000\n  - answer: late\n"),
};

/** An option in one word is known to the command only. */
const BY_COMMAND = "--limit=50";

test("status says the same, whoever answers", async () => {
  const where = await place(FILES);
  for (const prompt of ["one", "two\n\u001B[31mred"]) await cadre(where, "run", "oracle", prompt);
  await cadre(where, "start", "oracle", "three");
  for (const args of [
    ["status"],
    ["--json", "status"],
    ["status", "--format", "markdown"],
    ["status", "--status", "completed", "--status", "failed"],
    ["--home", ".cadre", "status", "--status", "pending"],
  ]) {
    const [quick, byCommand] = await Promise.all([cadre(where, ...args), cadre(where, ...args, BY_COMMAND)]);
    expect(quick, args.join(" ")).toEqual(byCommand);
    expect(quick).toMatchObject({ exit: 0, stderr: "" });
  }
}, 30_000);

test("what it does not know is answered by the command", async () => {
  const where = await place(FILES);
  for (const prompt of ["one", "two"]) await cadre(where, "run", "oracle", prompt);
  expect((await cadre(where, "status", "--limit", "1")).stdout).toContain("oracle#2");
  expect((await cadre(where, "status", "--agent", "nobody")).stdout).toBe("No tasks.\n");
  for (const args of [["--status", "done"], ["--limit", "0"], ["--limit"], ["--format", "xml"], ["status"]]) {
    const { exit, stderr } = await cadre(where, "status", ...args);
    expect(exit, args.join(" ")).toBe(2);
    expect(stderr, args.join(" ")).not.toBe("");
  }
}, 30_000);

test("what a dead worker held is shown as interrupted", async () => {
  const where = await place(FILES);
  const run = start(where, "run", "slow", "wait for me");
  await run.until("one moment");
  expect((await cadre(where, "status")).stdout).toMatch(/slow#1 +\S waiting/);
  run.kill("SIGKILL");
  await run.done;
  expect((await cadre(where, "status")).stdout).toMatch(/slow#1 +! interrupted/);
}, 30_000);

test("nothing that builds schemas is loaded for it", () => {
  const files = new Map(readSourceGraph().map((file) => [file.path, file]));
  const seen = new Set<string>();
  const packages = new Set<string>();
  const visit = (path: string): void => {
    if (seen.has(path)) return;
    seen.add(path);
    for (const reference of files.get(path)?.references ?? []) {
      if (reference.kind === "unresolvable" || reference.typeOnly) continue;
      const target = resolveRelative(path, reference.specifier);
      if (target !== undefined) visit(target);
      else if (!reference.specifier.startsWith("node:")) packages.add(reference.specifier);
    }
  };
  visit("cli/quick-status.ts");
  expect(seen.size).toBeGreaterThan(5);
  expect([...packages]).toEqual(["picocolors"]);
});
