import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { claude } from "../../src/backends/claude/claude.ts";
import { eventually } from "../custody/kit.ts";
import { answerNext, factsOf } from "../engine/kit.ts";
import { ended, withCli } from "./kit.ts";

const write = (path: string) => ({ calls: [{ name: "Write", args: { file_path: path, content: "x" } }] });
const bash = (command: string) => ({ calls: [{ name: "Bash", args: { command, description: "x" } }] });
const OPEN = { model: "sonnet", workspace: { mode: "shared", allow_writes: true } } as const;

const CLOSING = ["Read(.env)", "Read(secrets/**)", "Read(**/*.pem)", "Read(src/*.key)"];
const CLOSED = [
  ".env",
  "src/.env",
  "src/deep/.ENV",
  "conf/.env/inner.txt",
  "secrets/a.txt",
  "Secrets/b.txt",
  "a.pem",
  "src/b.PEM",
  "src/c.key",
  ".cadre/tasks/t.json",
  ".cadre/logs/l.txt",
  ".cadre/serve-token",
  "packages/x/.cadre/tasks/t.json",
  "packages/x/.cadre/cadre.db-wal",
  "packages/x/.Cadre/.serve-token.1",
];

const OPEN_AGENT = "packages/x/.cadre/agents/open.md";

describe("claude asks before each tool", () => {
  it("waits for a person, and does what was allowed", async () => {
    await using world = await withCli(claude, [write("asked.txt"), { text: "done" }], OPEN);
    const { engine } = world;
    const { id } = await engine.start({ agent: "worker" });
    engine.work();
    const question = async () => (await engine.show(id)).approvals.find(({ state }) => state === "open");
    await eventually("it asks", async () => (await question()) !== undefined, 30_000);
    expect((await engine.show(id)).status).toBe("waiting");
    expect(existsSync(join(world.project, "asked.txt"))).toBe(false);
    await answerNext(engine, id, { verdict: "allow", scope: "once" });
    expect((await ended(engine, id)).outcome).toMatchObject({ status: "completed", answer: "done" });
    expect(readFileSync(join(world.project, "asked.txt"), "utf8")).toBe("x");
    const [called] = factsOf(await engine.log(id), "tool.called");
    expect(called).toMatchObject({ tool: "Write", decision: { verdict: "allow" } });
  });

  it("is held to rules about single commands", async () => {
    await using world = await withCli(
      claude,
      [bash("git --version"), bash("touch made.txt"), bash("git --version; touch made.txt"), { text: "done" }],
      { ...OPEN, permission_mode: "auto", tools: ["Read", "Bash(git --version)"] },
    );
    const { id } = await world.engine.run({ agent: "worker" });
    const log = await world.engine.log(id);
    expect(factsOf(log, "tool.called")).toHaveLength(1);
    expect(factsOf(log, "tool.refused")).toHaveLength(2);
    expect(factsOf(log, "tool.returned")[0]).toMatchObject({ ok: true });
    expect(existsSync(join(world.project, "made.txt"))).toBe(false);
  });

  it("is not let out of the project by a link or an upward path", async () => {
    await using world = await withCli(
      claude,
      [
        { calls: [{ name: "Read", args: { file_path: "/etc/passwd" } }] },
        { calls: [{ name: "Glob", args: { pattern: "/etc/*" } }] },
        { calls: [{ name: "Grep", args: { pattern: "root", path: "../.." } }] },
        { text: "done" },
      ],
      { ...OPEN },
    );
    const { id } = await world.engine.run({ agent: "worker" });
    const log = await world.engine.log(id);
    expect(factsOf(log, "tool.called")).toEqual([]);
    expect(factsOf(log, "tool.refused")).toHaveLength(3);
  });

  it("finds what is open in a search, and nothing of what rules close or Cadre keeps", async () => {
    const search = (name: string, args: object) => ({ calls: [{ name, args: { pattern: "needle", ...args } }] });
    const glob = (pattern: string, path?: string) =>
      search("Glob", { pattern, ...(path === undefined ? {} : { path }) });
    await using world = await withCli(
      claude,
      [
        search("Grep", {}),
        search("Grep", { output_mode: "content" }),
        search("Grep", { glob: ".env" }),
        search("Grep", { glob: "{.env,*.pem,*}", path: "src" }),
        glob("**/*"),
        glob("**/.*"),
        glob("*", "src"),
        search("Grep", { path: "packages/x/.cadre" }),
        glob("tasks/*", "packages/x/.cadre"),
        search("Grep", { path: "link" }),
        { text: "done" },
      ],
      { ...OPEN, permission_mode: "plan", tools: { mode: "denylist", deny: CLOSING } },
    );
    const put = (path: string) => {
      mkdirSync(dirname(join(world.project, path)), { recursive: true });
      writeFileSync(join(world.project, path), `needle ${path.includes("open") ? "open" : "SHUT"}\n`);
    };
    for (const path of CLOSED) put(path);
    for (const path of ["open.txt", "src/open.ts", ".env.open", "src/deep/open.key", OPEN_AGENT]) put(path);
    symlinkSync(join(world.project, "src"), join(world.project, "link"));
    const { id } = await world.engine.run({ agent: "worker" });
    const log = await world.engine.log(id);
    const shown = factsOf(log, "tool.returned").map(({ output }) => output);
    expect(shown).toHaveLength(9);
    expect(shown[0]).toContain("src/open.ts");
    expect(shown[1]).toContain("src/deep/open.key");
    expect(shown[4]).toContain(".env.open");
    expect(shown[7]).toContain(OPEN_AGENT);
    const names = [...CLOSED, ...CLOSED.map((path) => path.replace("src/", ""))];
    for (const text of shown) {
      expect(text).not.toContain("SHUT");
      expect(text.split("\n").filter((line) => names.includes(line))).toEqual([]);
    }
    expect(JSON.stringify(world.model.asked)).not.toContain("SHUT");
    expect(factsOf(log, "tool.refused").map(({ input }) => input)).toMatchObject([{ path: "link" }]);
  });

  it.each(["a (b) c", "a)b c", "[x] {y,z}", "a!b*c", "a\\b", "jürgen", "ju\u0308rgen", "a😀b"])(
    "leaves it out in a project called %j, too",
    async (name) => {
      const [grep, glob] = [{ pattern: "needle", output_mode: "content" }, { pattern: "**/*" }];
      const replies = [
        { calls: [{ name: "Grep", args: grep }] },
        { calls: [{ name: "Glob", args: glob }] },
        { text: "done" },
      ];
      const agent = { ...OPEN, permission_mode: "plan", tools: { mode: "denylist", deny: CLOSING } } as const;
      await using world = await withCli(claude, replies, agent, {}, {}, undefined, name);
      for (const path of [...CLOSED, "open.txt"]) {
        mkdirSync(dirname(join(world.project, path)), { recursive: true });
        writeFileSync(join(world.project, path), `needle in ${path}\n`);
      }
      const { id } = await world.engine.run({ agent: "worker" });
      const shown = factsOf(await world.engine.log(id), "tool.returned").map(({ output }) => output);
      expect(shown).toEqual(["open.txt:1:needle in open.txt", "open.txt"]);
    },
  );

  it("hears what a person sends while it works", async () => {
    await using world = await withCli(
      claude,
      [{ calls: [{ name: "Read", args: { file_path: "hello.txt" } }] }, { text: "first" }, { text: "second" }],
      { ...OPEN },
    );
    writeFileSync(join(world.project, "hello.txt"), "hello");
    const { id } = await world.engine.start({ agent: "worker" });
    await world.engine.engine.command(id, { type: "send", text: "and mind the WEATHER", by: "ada" });
    world.engine.work();
    const { outcome } = await ended(world.engine, id);
    expect(outcome).toMatchObject({ status: "completed" });
    expect(JSON.stringify(world.model.asked.at(-1)?.body.messages)).toContain("and mind the WEATHER");
    expect(factsOf(await world.engine.log(id), "message.received")).toHaveLength(1);
  });

  it("is stopped while its model does not answer", async () => {
    await using world = await withCli(claude, [{ hangs: true }], OPEN);
    const { id } = await world.engine.start({ agent: "worker" });
    world.engine.work();
    await eventually("it asks its model", () => world.model.asked.length > 0, 30_000);
    await world.engine.engine.stop(id, "ada");
    expect((await ended(world.engine, id)).outcome).toMatchObject({ status: "cancelled", how: "cooperative" });
  });
});
