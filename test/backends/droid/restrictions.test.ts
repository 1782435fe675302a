import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { droid } from "../../../src/backends/droid/droid.ts";
import { temporaryFolder } from "../../custody/kit.ts";
import { AGENTS, compiled } from "../cli/restrictions.ts";

const READING = ["Read", "LS", "Grep", "Glob"];
const WRITING = ["Edit", "Create", "ApplyPatch"];

const after = (args: readonly string[] = [], flag: string): string | undefined =>
  args.includes(flag) ? args[args.indexOf(flag) + 1] : undefined;

describe("droid is given", () => {
  it.each([
    ["silent", [...READING, "TodoWrite"], undefined],
    ["reader", READING, undefined],
    ["editor", [...READING, ...WRITING, "TodoWrite"], "low"],
    ["free", [...READING, ...WRITING, "Execute", "TodoWrite"], "high"],
    ["online", [...READING, ...WRITING, "Execute", "FetchUrl", "WebSearch", "TodoWrite"], "high"],
    ["rule on commands", READING, undefined],
    ["no rm", [...READING, ...WRITING, "TodoWrite"], "low"],
  ] as const)("%s: exactly %j", async (name, tools, autonomy) => {
    const { refused, started, file } = await compiled(droid, AGENTS[name]);
    expect(refused).toBeUndefined();
    expect(after(started?.args, "--only-tools")?.split(",")).toEqual(tools);
    expect(after(started?.args, "--auto")).toBe(autonomy);
    expect(started?.args.join(" ")).not.toContain("unsafe");
    expect(JSON.parse(file(".factory/settings.json"))).toMatchObject({ hooksDisabled: true, cloudSessionSync: false });
    expect(file("prompt.md")).toContain("Task:");
    expect(started?.args.join(" ")).not.toContain("Task:");
  });

  it.each([
    ["no secrets", "droid cannot be held to Read(secrets/**)"],
    ["docs only", "droid cannot be held to reading docs"],
    ["no tools", "droid cannot be held to"],
  ] as const)("%s: nothing, the task is refused", async (name, why) => {
    expect((await compiled(droid, AGENTS[name])).refused).toContain(why);
  });

  it("no project that it would obey", async () => {
    const project = temporaryFolder();
    mkdirSync(join(project, ".factory"));
    expect(await droid.unsafe?.(project)).toBeUndefined();
    writeFileSync(join(project, ".factory/mcp.json"), "{}");
    expect(await droid.unsafe?.(project)).toContain("droid would obey");
  });
});
