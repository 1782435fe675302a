// Kiro prints plain text; that a turn really ran is only in what it says to cost.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { kiro } from "../../../src/backends/kiro/kiro.ts";
import { KiroText } from "../../../src/backends/kiro/kiro-text.ts";
import { temporaryFolder } from "../../custody/kit.ts";
import { factsOf } from "../../engine/kit.ts";
import { processorMs } from "../../processor-time.ts";
import { type Play, withStub } from "../cli/kit.ts";
import { AGENTS } from "../cli/restrictions.ts";

const OPEN = { permission_mode: "auto", workspace: { mode: "shared", allow_writes: true } } as const;
const COST = " ▸ Credits: 0.12 • Time: 3s\n";

const printed = (name: string): string[] =>
  readFileSync(fileURLToPath(new URL(`../fixtures/kiro/${kiro.tested}/${name}.txt`, import.meta.url)), "utf8")
    .trimEnd()
    .split("\n");

const playing = (...plays: Play[]) => withStub(kiro, plays, { agent: OPEN, isConfined: true });

describe("kiro, by its documents", () => {
  it("answers, and asks nobody for the colours", async () => {
    await using world = await playing({ says: printed("text"), stderr: COST });
    const { id, outcome, isCostKnown } = await world.engine.run({ agent: "worker", prompt: "How many?" });
    expect(outcome).toMatchObject({ status: "completed", answer: "forty-two" });
    expect(isCostKnown).toBe(false); // it has a model, and says nothing of what that took
    expect(factsOf(await world.engine.log(id), "message.said")).toMatchObject([{ text: "forty-two" }]);
    expect(world.started()[0]?.args.at(-1)).toContain("How many?");
  });

  it("has said its last message last, and what comes before the first is not its", async () => {
    await using world = await playing({ says: printed("writes"), stderr: COST });
    const { id, outcome } = await world.engine.run({ agent: "worker" });
    expect(outcome).toMatchObject({ status: "completed", answer: "done" });
    const said = factsOf(await world.engine.log(id), "message.said").map(({ text }) => text);
    expect(said).toHaveLength(2);
    expect(said.join()).not.toContain("I will write it now");
  });

  it("keeps empty lines, and takes JSON for text", async () => {
    await using world = await playing({ says: printed("two-paragraphs"), stderr: COST });
    const { outcome } = await world.engine.run({ agent: "worker" });
    expect(outcome?.answer).toBe('# Findings\n\n- one\n- two\n\n{"count": 4}');
  });

  it("may quote somebody in its answer", async () => {
    const says = [...printed("text"), "As she wrote:", "> to be or not", "and so on."];
    await using world = await playing({ says, stderr: COST });
    const { outcome } = await world.engine.run({ agent: "worker" });
    expect(outcome?.answer).toBe("forty-two\nAs she wrote:\n> to be or not\nand so on.");
  });

  // What it was seen to print where it is told NO_COLOR, as it is here: no colour, and still the marks around it.
  it("may quote somebody without colours, too", async () => {
    const says = ["\u001b[m> \u001b[0mAs she wrote:", "> to be or not", "and so on."];
    await using world = await playing({ says, stderr: COST });
    const { id, outcome } = await world.engine.run({ agent: "worker" });
    expect(outcome?.answer).toBe("As she wrote:\n> to be or not\nand so on.");
    expect(factsOf(await world.engine.log(id), "message.said")).toHaveLength(1);
  });

  it("may print without colours", async () => {
    await using world = await playing({ says: ["> first", "Using tool: write", "> last"], stderr: COST });
    expect((await world.engine.run({ agent: "worker" })).outcome?.answer).toBe("last");
  });

  it("may print a hundred thousand lines, and no more than memory has room for", () => {
    const text = new KiroText("last");
    const took = processorMs(() => {
      for (let at = 0; at < 100_000; at++) text.plain.out(at === 0 ? "> begins" : "");
      expect(text.rest()).toMatchObject([{ kind: "turn" }, { kind: "text", text: "begins" }]);
    });
    expect(took).toBeLessThan(5_000);
  });

  it.each<[string, Play, string]>([
    ["prints an answer, exits with 0, and does not say what it cost", { says: printed("text") }, "no_completion"],
    ["says what it cost, and nothing else", { stderr: COST }, "no_completion"],
    [
      "has a bad key, and exits with 0",
      { stderr: "Authentication failed. Check KIRO_API_KEY.\n" },
      "backend_unavailable",
    ],
    ["answers, says what it cost, and exits with 1", { says: printed("text"), stderr: COST, code: 1 }, "backend_error"],
    [
      "says what a turn cost, and then that it is not logged in",
      { says: printed("text"), stderr: `${COST}You are not logged in.\n` },
      "backend_unavailable",
    ],
    ["exits with 1", { stderr: "quota exceeded\n", code: 1 }, "rate_limited"],
  ])("%s: no answer", async (_name, play, reason) => {
    await using world = await playing(play);
    expect((await world.engine.run({ agent: "worker" })).outcome).toMatchObject({ status: "failed", reason });
  });

  it("goes on with the last conversation of its own home", async () => {
    await using world = await playing({ says: printed("text"), stderr: COST });
    const first = await world.engine.run({ agent: "worker" });
    await world.engine.run({ agent: "worker", session: first.spec.session });
    const [begun, resumed] = world.started();
    expect(begun?.args).not.toContain("--resume");
    expect(resumed?.args).toContain("--resume");
    expect(resumed?.env["HOME"]).toBe(begun?.env["HOME"]);
  });
});

describe("kiro is given", () => {
  it.each([
    ["reader", ["glob", "grep", "read"]],
    ["editor", ["glob", "grep", "read", "todo_list", "write"]],
    ["free", ["glob", "grep", "read", "shell", "todo_list", "write"]],
  ] as const)("%s: an agent with exactly %j", async (name, tools) => {
    await using world = await withStub(kiro, [{ says: printed("text"), stderr: COST }], {
      agent: AGENTS[name],
      isConfined: true,
    });
    const { spec, outcome } = await world.engine.run({ agent: "worker" });
    expect(outcome).toMatchObject({ status: "completed" });
    const home = join(world.home, "sessions", `${spec.session}.home`, "kiro");
    const agent = JSON.parse(readFileSync(join(home, ".kiro/agents/cadre.json"), "utf8")) as {
      tools: string[];
      allowedTools: string[];
    };
    expect(agent.tools.toSorted()).toEqual(tools);
    expect(agent).toMatchObject({ allowedTools: agent.tools, includeMcpJson: false, hooks: {} });
    const trusted = world.started()[0]?.args.find((arg) => arg.startsWith("--trust-tools="));
    expect(trusted).toBe(`--trust-tools=${agent.tools.join(",")}`);
  });

  it("no project that it would obey", async () => {
    const project = temporaryFolder();
    mkdirSync(join(project, ".kiro/steering"), { recursive: true });
    expect(await kiro.unsafe?.(project)).toBeUndefined();
    mkdirSync(join(project, ".kiro/agents"));
    writeFileSync(join(project, ".kiro/agents/cadre.json"), "{}");
    expect(await kiro.unsafe?.(project)).toContain("kiro would obey");
  });
});
