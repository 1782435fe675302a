// What rules close, and what Cadre keeps, is not found by searching from above it.
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ToolRules } from "../../../src/schema/index.ts";
import { kit, type Kit, type KitOptions, ripgrep } from "./kit.ts";

const layer = (more: Partial<ToolRules>): ToolRules => ({ from: "agent", allow: null, ask: [], deny: [], ...more });
const LEFT_OUT = "(what the policy closes, or wants asked about by its own path, is left out)";

async function tree(options: KitOptions): Promise<Kit> {
  const files = await kit(options);
  await files.put({
    "a.txt": "TOPKEY of nobody\n",
    ".env": "TOPKEY=1\n",
    "secrets/key.txt": "TOPKEY=2\n",
    "src/b.txt": "TOPKEY of all\n",
    "src/deep/.env": "TOPKEY=3\n",
    "src/deep/Secrets/k.txt": "TOPKEY=4\n",
  });
  return files;
}

const SECRET = /TOPKEY=|secrets|key\.txt|k\.txt|\.env/i;

describe.each([
  ["with the program", { ripgrep }],
  ["without it", { ripgrep: undefined }],
])("Glob and Grep %s, and List", (_, options) => {
  describe.each([
    ["an agent's deny", [layer({ deny: ["Read(secrets)", "Read(.env)"] })]],
    ["a question", [layer({ ask: ["Read(**/SECRETS/**)", "Read(.env)"] })]],
    [
      "rules of several authors",
      [layer({}), layer({ from: "user", deny: ["Read(.ENV)"] }), layer({ ask: ["Read(secrets)"] })],
    ],
    [
      "rules of their own",
      [layer({ deny: ["Glob", "Grep", "List"].flatMap((tool) => [`${tool}(secrets)`, `${tool}(.env)`]) })],
    ],
  ])("find nothing against %s", (__, rules) => {
    test.each([
      ["Grep", { pattern: "TOPKEY", output_mode: "content" }],
      ["Grep", { pattern: "TOPKEY", hidden: true }],
      ["Grep", { pattern: "TOPKEY", hidden: true, output_mode: "count" }],
      ["Grep", { pattern: "TOPKEY", glob: "secrets/**", output_mode: "content" }],
      ["Grep", { pattern: "TOPKEY", glob: "!a.txt", output_mode: "content", context: 3 }],
      ["Grep", { pattern: "TOPKEY", path: "src", hidden: true }],
      ["Grep", { pattern: "TOPKEY", hidden: true, head_limit: 1, output_mode: "content" }],
      ["Glob", { pattern: "**/*" }],
      ["Glob", { pattern: "**/.*" }],
      ["Glob", { pattern: "s*/k*" }],
      ["Glob", { pattern: "**", path: "src/deep", hidden: true }],
      ["List", {}],
      ["List", { path: "src/deep" }],
    ])("%s %j", async (name, input) => {
      await using files = await tree({ ...options, rules });
      const lines = (await files.text(name, input)).split("\n");
      // Where nothing is found, the pattern is said again.
      expect(lines.filter((line) => !line.startsWith("No ")).join("\n")).not.toMatch(SECRET);
      expect(lines.at(-1)).toBe(LEFT_OUT);
    });

    test("and what is open is found as before", async () => {
      await using files = await tree({ ...options, rules });
      expect(await files.text("Grep", { pattern: "TOPKEY", hidden: true })).toBe(`a.txt\nsrc/b.txt\n${LEFT_OUT}`);
      expect(await files.text("Glob", { pattern: "**", hidden: true })).toBe(`a.txt\nsrc/b.txt\n${LEFT_OUT}`);
      expect(await files.text("List", {})).toBe(`a.txt  17 B\nsrc/\n${LEFT_OUT}`);
    });
  });

  test("say the same whether or not something closed matches", async () => {
    await using files = await tree({ ...options, rules: [layer({ deny: ["Read(secrets/**)"] })] });
    for (const pattern of ["=2", "=7"])
      expect(await files.text("Grep", { pattern })).toBe(`No line matches "${pattern}".\n${LEFT_OUT}`);
  });

  test("say nothing where no rule is about what they look through", async () => {
    const rules = [layer({ deny: ["Read(secrets/**)", "Edit(src)", "Bash(rm *)", "WebFetch"], ask: ["Write"] })];
    await using files = await tree({ ...options, rules });
    expect(await files.text("Grep", { pattern: "TOPKEY", path: "src" })).toBe("src/b.txt\nsrc/deep/Secrets/k.txt");
    expect(await files.text("List", { path: "src/deep" })).toBe(".env  9 B\nSecrets/");
  });

  test("show what was asked about by its own path", async () => {
    await using files = await tree({ ...options, rules: [layer({ ask: ["Read(secrets/**)", "Grep"] })] });
    expect(await files.text("Grep", { pattern: "TOPKEY", path: "secrets" })).toBe("secrets/key.txt");
    expect(await files.text("Glob", { pattern: "secrets/*" })).toBe("secrets/key.txt");
    expect(await files.text("List", { path: "secrets" })).toBe("key.txt  9 B");
    expect(await files.text("Grep", { pattern: "TOPKEY" })).toBe(
      `a.txt\nsrc/b.txt\nsrc/deep/Secrets/k.txt\n${LEFT_OUT}`,
    );
  });

  test("understand rules of the project in a workspace that is a folder of it", async () => {
    const rules = [layer({ deny: ["Read(packages/one/secrets/**)", "Read(src/**)"] })];
    await using files = await tree({ ...options, workspace: "packages/one", rules });
    expect(await files.text("Grep", { pattern: "TOPKEY" })).toBe(
      `a.txt\nsrc/b.txt\nsrc/deep/Secrets/k.txt\n${LEFT_OUT}`,
    );
  });

  test("hold in the attempt's own folder, too", async () => {
    const rules = [layer({ deny: ["Read(.env)", "Read(.cadre/workspace/secrets/**)"] })];
    const home = (project: string) => join(project, ".cadre");
    await using files = await kit({ ...options, rules, home, workspace: "packages/one" });
    const at = (path: string): [string, string] => [`../../.cadre/workspace/${path}`, "TOPKEY\n"];
    await files.put(Object.fromEntries([at("a"), at(".env"), at("secrets/b")]));
    const input = { pattern: "TOPKEY", path: files.own.folder, hidden: true };
    expect(await files.text("Grep", input)).toBe(`${files.own.folder}/a\n${LEFT_OUT}`);
  });

  test.each([".cadre", "kept/state"])("leave out what Cadre keeps in %s, but for the attempt's own", async (home) => {
    await using files = await kit({ ...options, home: (project) => join(project, home) });
    const put = (path: string): [string, string] => [`${home}/${path}`, "TOPKEY\n"];
    await files.put(
      Object.fromEntries([
        ["a.txt", "TOPKEY\n"],
        ...["agents/a.md", "config.yml", "workspace/mine", "plans/plan.md"].map(put),
        ...["cadre.db", "plans/other.md", "logs/t.log", "sessions/s.json", "tasks/t.json"].map(put),
      ]),
    );
    const open = [`${home}/agents/a.md`, `${home}/config.yml`, `${home}/plans/plan.md`, `${home}/workspace/mine`];
    const all = ["a.txt", ...open].toSorted().join("\n");
    expect(await files.text("Grep", { pattern: "TOPKEY", hidden: true })).toBe(all);
    expect(await files.text("Glob", { pattern: "**", hidden: true })).toBe(all);
    expect(await files.text("Grep", { pattern: "TOPKEY", path: home })).toBe([...open, LEFT_OUT].join("\n"));
    expect(await files.text("List", { path: home })).toBe(`agents/\nconfig.yml  7 B\nworkspace/\n${LEFT_OUT}`);
  });
});

test("a name that is nearly right does not tell of one that is closed", async () => {
  await using files = await tree({ rules: [layer({ deny: ["Read(.env)", "Read(secrets)"] })] });
  expect(await files.problem("Read", { file_path: "src/deep/.enw" })).not.toContain(".env");
  expect(await files.problem("List", { path: "secretz" })).not.toContain("secrets");
  expect(await files.problem("Read", { file_path: "src/c.txt" })).toContain("src/b.txt");
});
