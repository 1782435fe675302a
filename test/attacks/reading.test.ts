// What may not be read is looked for in every other way that the file tools have.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { attack, bash, type Call, FREE, notRefused, scene } from "./kit.ts";

const LIMIT = { timeout: 60_000 };
const on = (call: string, input: Call["input"]): Call => ({ call, input });
const CANARY = "TOPKEY";

describe("case 8: a file that a rule closes is not found from above", () => {
  const files = { "a.txt": "open", "secrets/key.txt": CANARY, "sub/.env": CANARY };
  const closed = ["Read(secrets/**)", "Read(.env)"];
  const settings = `permissions:\n  deny:\n${closed.map((rule) => `    - ${rule}\n`).join("")}`;

  test.each([
    ["the agent denies", { tools: { mode: "denylist", deny: closed } }, ""],
    ["the user's settings deny", {}, settings],
    ["the user's settings ask about", {}, settings.replace("deny", "ask")],
  ])("that %s", LIMIT, async (_, agent, config) => {
    const direct = [
      on("Read", { file_path: "secrets/key.txt" }),
      on("Read", { file_path: "sub/.env" }),
      on("Grep", { pattern: CANARY, path: "secrets" }),
      on("List", { path: "secrets" }),
    ];
    const around = [
      on("Grep", { pattern: CANARY.slice(1), output_mode: "content", hidden: true }),
      on("Grep", { pattern: CANARY.slice(1), glob: "secrets/**" }),
      on("Glob", { pattern: "**", hidden: true }),
      on("List", {}),
      on("List", { path: "sub" }),
    ];
    const { went } = await attack(scene(files, config), { ...FREE, ...agent }, [...direct, ...around]);
    expect(notRefused(went.slice(0, direct.length))).toEqual([]);
    const told = went.slice(direct.length);
    expect(told.map(({ how }) => how)).toEqual(around.map(() => "done"));
    expect(told.map(({ text }) => text).join("\n")).not.toMatch(/TOPKEY|secrets|key\.txt|\.env/);
    expect(told[2]?.text).toContain("a.txt");
  });
});

test(
  "case 18: what Cadre keeps of another task is not read, listed or found; what is one's own is",
  LIMIT,
  async () => {
    const where = scene({ ".cadre/agents/shown.md": "---\nname: shown\ndescription: d\n---\nWords.\n" });
    const { task: other } = await attack(where, { ...FREE, prompt: CANARY }, [bash(`echo ${CANARY}`)]);
    // Lines of a log are written a moment later.
    await vi.waitUntil(() => existsSync(join(where.project, ".cadre", "logs", `${other.id}.log`)), LIMIT);
    const kept = readdirSync(join(where.project, ".cadre"), { recursive: true, withFileTypes: true })
      .map((one) => ({ path: join(one.parentPath, one.name).slice(where.project.length + 1), isFile: one.isFile() }))
      .filter(({ path }) => !/^\.cadre\/(?:agents|workspace|\.gitignore$)/.test(path));
    const state = kept.flatMap(({ path, isFile }) => (isFile ? [path] : []));
    const shut = kept.flatMap(({ path, isFile }) => (isFile ? [] : [path]));
    for (const name of ["cadre.db", "tasks/", "plans/", "logs/", "sessions/"])
      expect(state.filter((path) => path.startsWith(`.cadre/${name}`))).not.toEqual([]);
    const refused = [
      ...state.map((path) => on("Read", { file_path: path })),
      ...state.map((path) => on("Read", { file_path: path.replace(".cadre", ".CADRE") })),
      ...shut.flatMap((path) => [
        on("List", { path }),
        on("Grep", { pattern: CANARY, path }),
        on("Glob", { pattern: `${path}/*` }),
      ]),
    ];
    const open = [
      on("List", { path: ".cadre" }),
      on("Grep", { pattern: CANARY.slice(1), hidden: true, output_mode: "content" }),
      on("Glob", { pattern: "**", path: ".cadre" }),
      on("Read", { file_path: ".cadre/agents/shown.md" }),
      on("Write", { file_path: ".cadre/workspace/mine.txt", content: "mine" }),
      on("Read", { file_path: ".cadre/workspace/mine.txt" }),
    ];
    const { went } = await attack(where, FREE, [...refused, ...open]);
    expect(notRefused(went.slice(0, refused.length))).toEqual([]);
    expect(went[0]?.text).toContain("`cadre show`");
    const told = went.slice(refused.length);
    expect(told.map(({ how }) => how)).toEqual(open.map(() => "done"));
    expect(told.map(({ text }) => text).join("\n")).not.toMatch(/TOPKEY|sessions|cadre\.db/);
    expect(told.map(({ text }) => text).join("\n")).not.toContain(other.id);
    expect(told[0]?.text).toContain("agents/");
  },
);

test(
  "case 18: a fixture that is called like Cadre's folder is read, another project's state is not",
  LIMIT,
  async () => {
    const where = scene({
      "test/fixtures/.cadre/tasks/t.json": "a FIXTURE",
      "test/fixtures/.cadre/agents/x.md": "a FIXTURE",
      "packages/a/.cadre/cadre.db": CANARY,
      "packages/a/.cadre/tasks/t.json": CANARY,
    });
    const steps = [
      on("Read", { file_path: "test/fixtures/.cadre/tasks/t.json" }),
      on("Read", { file_path: "test/fixtures/.cadre/agents/x.md" }),
      on("Grep", { pattern: "FIXTURE", hidden: true }),
      on("Grep", { pattern: CANARY.slice(1), hidden: true, output_mode: "content" }),
      on("Read", { file_path: "packages/a/.cadre/tasks/t.json" }),
    ];
    const { went } = await attack(where, FREE, steps);
    expect(went.map(({ how }) => how)).toEqual(["done", "done", "done", "done", "refused"]);
    expect(went[0]?.text).toContain("a FIXTURE");
    expect(went[2]?.text).toContain("test/fixtures/.cadre/tasks/t.json");
    expect(went[3]?.text).not.toContain("packages/a");
  },
);
