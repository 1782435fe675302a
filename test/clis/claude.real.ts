import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { claude } from "../../src/backends/claude/claude.ts";
import { eventually } from "../custody/kit.ts";
import { answerNext, factsOf } from "../engine/kit.ts";
import { ended, withCli } from "./kit.ts";

const write = (path: string) => ({ calls: [{ name: "Write", args: { file_path: path, content: "x" } }] });
const bash = (command: string) => ({ calls: [{ name: "Bash", args: { command, description: "x" } }] });
const OPEN = { model: "sonnet", workspace: { mode: "shared", allow_writes: true } } as const;

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
