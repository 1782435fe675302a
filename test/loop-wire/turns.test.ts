// Our own loop against every wire format: what is said, done and paid.
import { describe, expect, test } from "vitest";
import { KEY } from "../models/lines.ts";
import { callTool, say, type WireScript } from "../models/wire/index.ts";
import { factsIn, FORMATS, listedMicroUsd, openWired } from "./kit.ts";

const usage = { input: 1_000, output: 1_000 };
const agents = [{ name: "agent", description: "does what it is told" }];
const counting = [
  {
    name: "counter",
    description: "counts",
    output: {
      name: "report",
      schema: { type: "object", required: ["n"], properties: { n: { type: "integer" } }, additionalProperties: false },
    },
  },
];
const REPO = {
  "README.md": "# Doors\nA library about doors.\n",
  "src/door.ts": "export const openDoor = () => 'creak';\n",
  "src/house.ts": "import { openDoor } from './door.ts';\nexport const enter = () => openDoor();\n",
};

describe.each(FORMATS)("$format", (line) => {
  test("a text is the answer; what was sent and what it cost are right", async () => {
    await using wired = await openWired(line, [say("It is in the cellar.", usage)], { agents });
    const task = await wired.cadre.run({ agent: "agent", prompt: "Where is the key to the door?" });
    expect(task.outcome).toMatchObject({ status: "completed", answer: "It is in the cellar.", evidence: "claimed" });
    expect(task).toMatchObject({
      isCostKnown: true,
      spent: { microUsd: listedMicroUsd(line, 1_000, 1_000), tokens: 2_000 },
    });
    const [request] = wired.server.requests;
    expect(request?.said).toMatchObject({ key: KEY, model: line.model.split("/")[1] });
    const system = request?.said.system ?? "";
    const sections = ["## Agent Type: agent", "## Your Task\nWhere is the key", "## Environment", "## Guidelines"];
    const places = sections.map((section) => system.indexOf(section));
    expect(places.every((place) => place > 0)).toBe(true);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(request?.said.texts).toHaveLength(1);
    expect(request?.said.texts[0]).toMatchObject({ role: "user" });
    expect(request?.said.texts[0]?.text).toContain("Task: Where is the key to the door? Your plan file is at ");
    const log = await wired.log(task);
    expect(factsIn(log, "message.said").map(({ text }) => text)).toEqual(["It is in the cellar."]);
    expect(factsIn(log, "model.replied")).toMatchObject([
      { model: line.model, stop: "end", microUsd: listedMicroUsd(line, 1_000, 1_000) },
    ]);
  });

  test("Explore looks around in a real repository, several tools at a time", async () => {
    const script: WireScript = [
      {
        parts: [
          { text: "I search and read." },
          callTool("Grep", { pattern: "openDoor" }),
          callTool("Read", { file_path: "src/door.ts" }),
          callTool("Glob", { pattern: "**/*.md" }),
        ],
        usage,
      },
      say("`openDoor` is in src/door.ts:1, used in src/house.ts:2.", usage),
    ];
    await using wired = await openWired(line, script, { files: REPO });
    const task = await wired.cadre.run({ agent: "Explore", prompt: "Where is openDoor?" });
    expect(task.outcome).toMatchObject({
      status: "completed",
      answer: "`openDoor` is in src/door.ts:1, used in src/house.ts:2.",
    });
    const [first, second] = wired.server.requests;
    expect(first?.said.tools.map(({ name }) => name).toSorted()).toEqual(["Glob", "Grep", "Read"]);
    expect(first?.said.system).toContain("## Mode: Read-Only");
    // What the model is told of its own turn, and the results, in the order of the calls.
    expect(second?.said.calls.map(({ name }) => name)).toEqual(["Grep", "Read", "Glob"]);
    const results = (second?.said.results ?? []).map((result) => JSON.stringify(result));
    expect(results).toHaveLength(3);
    expect(results[0]).toContain("src/house.ts");
    expect(results[1]).toContain("creak");
    expect(results[2]).toContain("README.md");
    expect(task).toMatchObject({
      turns: 2,
      calls: { made: 3, refused: 0 },
      spent: { microUsd: 2 * listedMicroUsd(line, 1_000, 1_000), tokens: 4_000 },
    });
  });

  test("a call whose input is not JSON runs nothing, its neighbour runs, and the model can do better", async () => {
    const script: WireScript = [
      { parts: [{ call: "Read", raw: '{"file_path": ' }, callTool("Read", { file_path: "README.md" })] },
      { parts: [callTool("Read", { path: "README.md" })] },
      say("done"),
    ];
    await using wired = await openWired(line, script, { agents, files: REPO });
    const task = await wired.cadre.run({ agent: "agent", prompt: "Read it." });
    expect(task.outcome).toMatchObject({ status: "completed", answer: "done" });
    expect(task.calls).toEqual({ made: 1, refused: 2 });
    const refused = factsIn(await wired.log(task), "tool.refused").map(({ decision }) => decision.rule);
    expect(refused[0]).toMatch(/not (?:a )?JSON/);
    expect(refused[1]).toMatch(/`path` is not a field of Read/);
    const [, second] = wired.server.requests;
    expect(JSON.stringify(second?.said.results)).toContain("A library about doors.");
  });

  test("an output that does not fit its schema is sent back, and mended", async () => {
    const script: WireScript = [
      { parts: [callTool("complete_task", { report: { n: "three" } })] },
      { parts: [callTool("complete_task", { report: { n: 3 } })] },
    ];
    await using wired = await openWired(line, script, { agents: counting });
    const task = await wired.cadre.run({ agent: "counter", prompt: "Count." });
    expect(task.outcome).toMatchObject({ status: "completed", output: { n: 3 }, evidence: "checked", recovered: null });
    const [, second] = wired.server.requests;
    expect(JSON.stringify(second?.said.results)).toContain("Output validation failed: output.n must be integer");
  });

  test("an endless agent ends at its limit, with its last words", async () => {
    const script: WireScript = ({ said }) =>
      said.tools.length === 0 ? say("I came this far.") : { parts: [callTool("Read", { file_path: "README.md" })] };
    await using wired = await openWired(line, script, { agents, files: REPO });
    const task = await wired.cadre.run({ agent: "agent", prompt: "Read it.", limits: { maxTurns: 3 } });
    expect(task.outcome).toMatchObject({ answer: "I came this far.", recovered: { limit: "max_turns" } });
    expect(wired.server.requests).toHaveLength(4);
  });

  test("an answer that is empty is none", async () => {
    const script: WireScript = () => ({ parts: [] });
    await using wired = await openWired(line, script, { agents });
    const task = await wired.cadre.run({ agent: "agent", prompt: "Say something." });
    expect(task.outcome).toMatchObject({ status: "failed", reason: "no_completion" });
    expect(wired.server.requests).toHaveLength(3); // asked for again once, then for its last words
  });

  test("a result that is too long is cut, and kept whole where the agent can read it", async () => {
    const lines = Array.from({ length: 1_500 }, (_, index) => `line ${index} ${"x".repeat(40)}`).join("\n");
    const script: WireScript = ({ said }, n) => {
      if (n === 0) return { parts: [callTool("Bash", { command: "cat long.txt" })] };
      if (n > 1) return say("done");
      const path = /The whole result is in (\S+?\.txt)/.exec(JSON.stringify(said.results))?.[1] ?? "";
      return { parts: [callTool("Grep", { pattern: "line 1499", path, output_mode: "content" })] };
    };
    const auto = agents.map((agent) => ({ ...agent, permission_mode: "auto" as const }));
    await using wired = await openWired(line, script, { agents: auto, files: { "long.txt": lines } });
    const task = await wired.cadre.run({ agent: "agent", prompt: "Read it." });
    expect(task.outcome).toMatchObject({ status: "completed", answer: "done" });
    const [first, second] = factsIn(await wired.log(task), "tool.returned");
    expect(first).toMatchObject({ ok: true, truncated: true });
    expect(first?.output.length).toBeLessThan(31_000);
    expect(second).toMatchObject({ ok: true });
    expect(second?.output).toContain("line 1499");
  });

  test("a window that is full is made room in, and the call made again", async () => {
    let isFull = true;
    const script: WireScript = ({ said }, n) => {
      if (said.system.startsWith("You sum up")) return say("It has read the README.");
      if (n < 3) return { parts: [callTool("Read", { file_path: "README.md" })] };
      if (isFull) {
        isFull = false;
        return { failure: "overflow" };
      }
      return say("done");
    };
    await using wired = await openWired(line, script, { agents, files: REPO });
    const task = await wired.cadre.run({ agent: "agent", prompt: "Read it." });
    expect(task.outcome).toMatchObject({ status: "completed", answer: "done", recovered: null });
    expect(factsIn(await wired.log(task), "history.compacted")).toMatchObject([{ summary: "It has read the README." }]);
    const last = wired.server.requests.at(-1);
    expect(JSON.stringify(last?.said.texts)).toContain("It has read the README.");
    expect(last?.said.calls).toHaveLength(1);
  });
});
