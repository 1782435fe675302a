import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "smol-toml";
import { describe, expect, it } from "vitest";
import { gemini } from "../../../src/backends/gemini/gemini.ts";
import { obeyedFile } from "../../../src/backends/gemini/obeyed-files.ts";
import { temporaryFolder } from "../../custody/kit.ts";
import { AGENTS, compiled } from "../cli/restrictions.ts";

const READING = ["read_file", "glob", "grep_search", "list_directory"];

interface Rule {
  readonly toolName: string | string[];
  readonly decision: string;
  readonly priority: number;
  readonly argsPattern?: string;
}

async function policyOf(name: keyof typeof AGENTS) {
  const { file, ...rest } = await compiled(gemini, AGENTS[name]);
  const text = file("cadre-policy.toml");
  const rules = text === "" ? [] : (parse(text) as unknown as { rule: Rule[] }).rule;
  const settings = JSON.parse(file(".gemini/settings.json") || "{}") as { tools?: { core: string[] } };
  const open = rules.filter(({ decision }) => decision === "allow");
  // Whole tools; those for single files are for its own.
  const allowed = open.filter(({ argsPattern }) => argsPattern === undefined).flatMap(({ toolName }) => toolName);
  const own = open.flatMap(({ argsPattern }) => argsPattern ?? []);
  return { ...rest, rules, own, allowed: allowed.toSorted(), core: settings.tools?.core.toSorted() };
}

describe("gemini is given", () => {
  it.each([
    ["silent", [...READING, "write_todos"]],
    ["reader", READING],
    ["editor", [...READING, "replace", "write_file", "write_todos"]],
    ["free", [...READING, "replace", "run_shell_command", "write_file", "write_todos"]],
    [
      "online",
      [...READING, "google_web_search", "replace", "run_shell_command", "web_fetch", "write_file", "write_todos"],
    ],
    ["rule on commands", READING],
    ["no rm", [...READING, "replace", "write_file", "write_todos"]],
  ] as const)("%s: exactly %j", async (name, tools) => {
    const { refused, allowed, own, core, rules, started } = await policyOf(name);
    expect(refused).toBeUndefined();
    expect(allowed).toEqual([...tools].toSorted());
    const writing = own.length === 0 ? [] : ["replace", "write_file"];
    expect(core).toEqual([...new Set([...allowed, ...writing])].toSorted());
    expect(rules[0]).toMatchObject({ toolName: "*", decision: "deny" });
    expect(started?.args.join(" ")).toContain("--approval-mode default");
    expect(started?.args).toContain("--admin-policy");
  });

  it.each([
    ["no secrets", "gemini cannot be held to Read(secrets/**)"],
    ["docs only", "gemini cannot be held to reading docs"],
    ["no tools", "gemini cannot be held to"],
  ] as const)("%s: nothing, the task is refused", async (name, why) => {
    expect((await policyOf(name)).refused).toContain(why);
  });

  it.each([
    ["silent", true],
    ["reader", false],
  ] as const)("%s: its own files %s", async (name, isOpen) => {
    const { own } = await policyOf(name);
    const folder = own.at(-1) ?? "";
    const may = (file: string) =>
      folder !== "" && new RegExp(folder).test(JSON.stringify({ content: "x", file_path: file }));
    const place = /^"file_path":"(?:\(.*\|\))?(.*)\/\[A/.exec(folder)?.[1]?.replaceAll("\\", "") ?? "";
    expect(may(`${place}/math.py`)).toBe(isOpen);
    for (const other of ["math.py", `${place}/../x`, `${place}/.npmrc`, `${place}/a/../../x`, `elsewhere/${place}/x`])
      expect([other, may(other)]).toEqual([other, false]);
  });

  it("no protected file, however it is spelled", async () => {
    const { rules } = await policyOf("free");
    const patterns = rules.flatMap(({ argsPattern }) => argsPattern ?? []);
    // What gemini itself asks of a pattern, or it is not taken.
    for (const pattern of patterns)
      expect(pattern.length > 2_048 || /\([^)]*[*+?{].*\)[*+?{]/.test(pattern)).toBe(false);
    const isClosed = (path: string) =>
      patterns.some((pattern) => new RegExp(pattern).test(JSON.stringify({ content: "x", file_path: path })));
    for (const path of [".git/hooks/pre-commit", "/a/b/.GIT/config", "x/../.npmrc", "sub/.github/workflows/ci.yml"])
      expect(isClosed(path)).toBe(true);
    for (const path of ["package.json", "sub/Makefile", "AGENTS.md", "/a/node_modules/x/i.js"])
      expect(isClosed(path)).toBe(true);
    for (const path of ["src/git.ts", ".gitignore", "docs/.npmrc.md"]) expect(isClosed(path)).toBe(false);
  });
});

describe("files that gemini would obey", () => {
  const projectWith = (path: string, content: string): string => {
    const project = temporaryFolder();
    for (const folder of [".gemini", "sub"]) mkdirSync(join(project, folder));
    writeFileSync(join(project, path), content);
    return project;
  };

  it.each([
    [".gemini/settings.json", '{"mcpServers": {"evil": {"command": "x"}}}', true],
    [".gemini/settings.json", '{"mcpServers": {"cadre": {"command": "x"}, "cadre-attempt": {"command": "x"}}}', true],
    [".gemini/settings.json", '{"mcpServers": {"cadre": {"command": "x"}}, "mcp": {"allowed": ["cadre"]}}', true],
    [
      ".gemini/settings.json",
      '{"mcpServers": {"cadre": {"command": "cadre", "args": ["mcp"], "trust": false}}}',
      false,
    ],
    [".gemini/settings.json", '{"mcpServers": ["cadre"]}', true],
    [".gemini/settings.json", '{"ui": {}} // with a comment', true],
    [".gemini/settings.json", '{"ui": {"theme": "x"}}', false],
    [".gemini/.env", "", true],
    [".gemini/GEMINI.md", "", false],
  ])("%s with %s: %s", async (path, content, isObeyed) => {
    expect((await obeyedFile(projectWith(path, content))) !== undefined).toBe(isObeyed);
  });

  it("are looked for upwards, as gemini does", async () => {
    const project = projectWith(".gemini/.env", "");
    expect(await obeyedFile(join(project, "sub"))).toContain(join(project, ".gemini/.env"));
  });
});
