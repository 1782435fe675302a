import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { amp } from "../../../src/backends/amp/amp.ts";
import { temporaryFolder } from "../../custody/kit.ts";
import { AGENTS, compiled } from "../cli/restrictions.ts";

interface Rule {
  readonly tool: string;
  readonly action: string;
}

describe("amp is given", () => {
  it.each([
    ["free", ["shell_command", "apply_patch"], ["web_search", "Task", "upload_thread_file", "load_plugin"]],
    ["online", ["shell_command", "apply_patch", "read_web_page", "web_search"], ["Task", "upload_thread_file"]],
  ] as const)("%s: %j, and the rest is rejected", async (name, allowed, rejected) => {
    const { refused, started, file } = await compiled(amp, AGENTS[name]);
    expect(refused).toBeUndefined();
    const rules = (JSON.parse(file("amp-settings.json")) as { "amp.permissions": Rule[] })["amp.permissions"];
    const verdict = (tool: string) => rules.find((rule) => rule.tool === tool || rule.tool === "*")?.action;
    expect(allowed.map(verdict)).toEqual(allowed.map(() => "allow"));
    expect(rejected.map(verdict)).toEqual(rejected.map(() => "reject"));
    expect(started?.args.join(" ")).toContain("--visibility private");
    expect(started?.args.join(" ")).toContain("--executor local");
  });

  it.each(["silent", "reader", "editor", "no rm", "rule on commands", "no tools"] as const)(
    "%s: nothing, because it reads by commands",
    async (name) => {
      expect((await compiled(amp, AGENTS[name])).refused).toMatch(/amp reads files by running commands|cannot be held/);
    },
  );

  it("no project that it would obey", async () => {
    const project = temporaryFolder();
    mkdirSync(join(project, ".amp"));
    expect(await amp.unsafe?.(project)).toBeUndefined();
    writeFileSync(join(project, ".amp/settings.json"), "{}");
    expect(await amp.unsafe?.(project)).toContain("amp would obey");
  });
});
