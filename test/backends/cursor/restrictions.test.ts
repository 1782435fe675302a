import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cursor } from "../../../src/backends/cursor/cursor.ts";
import { obeyedByCursor } from "../../../src/backends/cursor/obeyed-by-cursor.ts";
import { temporaryFolder } from "../../custody/kit.ts";
import { AGENTS, compiled } from "../cli/restrictions.ts";

interface Config {
  readonly approvalMode: string;
  readonly permissions: { readonly allow: string[]; readonly deny: string[] };
}

describe("cursor is given", () => {
  it.each([
    ["silent", ["--mode", "ask"], ["Read(**)"], ["Write(**)", "Shell(*)", "WebFetch(*)"]],
    ["reader", ["--mode", "ask"], ["Read(**)"], ["Write(**)", "Shell(*)", "WebFetch(*)"]],
    ["editor", ["--force"], ["Read(**)", "Write(**)"], ["Shell(*)", "WebFetch(*)"]],
    ["free", ["--force"], ["Read(**)", "Write(**)", "Shell(*)"], ["WebFetch(*)"]],
    ["online", ["--force"], ["Read(**)", "Write(**)", "Shell(*)", "WebFetch(*)"], []],
    ["no rm", ["--force"], ["Read(**)", "Write(**)"], ["Shell(*)", "WebFetch(*)"]],
  ] as const)("%s: %j, and denied the rest", async (name, flags, allow, deny) => {
    const { refused, started, file } = await compiled(cursor, AGENTS[name]);
    expect(refused).toBeUndefined();
    const { approvalMode, permissions } = JSON.parse(file(".cursor/cli-config.json")) as Config;
    expect(approvalMode).toBe("allowlist");
    expect(permissions.allow).toEqual(allow);
    expect(permissions.deny.filter((rule) => !rule.startsWith("Write(**/"))).toEqual([...deny, "Mcp(*:*)"]);
    expect(permissions.deny).toEqual(expect.arrayContaining(["Write(**/.git/**)", "Write(**/.npmrc)"]));
    expect(started?.args.join(" ")).toContain(flags.join(" "));
    expect(started?.args.includes("--force")).toBe(flags[0] === "--force");
    expect(started?.args.join(" ")).toContain("--sandbox disabled");
  });

  it.each([
    ["no secrets", "cursor cannot be held to Read(secrets/**)"],
    ["docs only", "cursor cannot be held to reading docs"],
    ["no tools", "cursor cannot be held to"],
  ] as const)("%s: nothing, the task is refused", async (name, why) => {
    expect((await compiled(cursor, AGENTS[name])).refused).toContain(why);
  });
});

describe("files that cursor would obey", () => {
  it.each([
    ["hooks.json", true],
    ["mcp.json", true],
    ["cli.json", true],
    ["something-new.json", true],
    ["rules", false],
    ["commands", false],
  ])(".cursor/%s: %s", (name, isObeyed) => {
    const project = temporaryFolder();
    mkdirSync(join(project, ".cursor"));
    writeFileSync(join(project, ".cursor", name), "{}");
    expect(obeyedByCursor(project) !== undefined).toBe(isObeyed);
  });

  it("are none where there is no such folder; one that is no folder is not trusted", () => {
    const project = temporaryFolder();
    expect(obeyedByCursor(project)).toBeUndefined();
    writeFileSync(join(project, ".cursor"), "");
    expect(obeyedByCursor(project)).toContain("cursor would obey");
  });
});
