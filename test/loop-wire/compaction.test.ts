// History that is too long: what a model says of it stands for it only if it is whole, and shorter.
import { describe, expect, test } from "vitest";
import { callTool, say, type WireAnswer, type WireScript } from "../models/wire/index.ts";
import { factsIn, FORMATS, openWired } from "./kit.ts";

const agents = [{ name: "agent", description: "does what it is told" }];
const LINES_OF_FILE = 600;
const files = {
  "big.txt": Array.from({ length: LINES_OF_FILE }, (_, index) => `line ${index} ${"x".repeat(40)}`).join("\n"),
};
const userFilesFor = (model: string) => ({
  ".cadre/config.yml": `models: { limits: { ${model}: { context_tokens: 32000, max_output_tokens: 2000 } } }\n`,
});
const isSummary = ({ said }: { said: { system: string } }) => said.system.startsWith("You sum up");
const read = (limit: number) => callTool("Read", { file_path: "big.txt", limit });
const MARK = "It was the gardener.";

const NOT_TAKEN: readonly (readonly [string, WireAnswer])[] = [
  ["that was refused", { parts: [{ text: MARK }], stop: "refused" }],
  ["that was cut off", { parts: [{ text: MARK }], stop: "length" }],
  ["without a word in it", say(" \n")],
  ["that is longer than what it stands for", say(`${MARK} `.repeat(10_000))],
];

describe.each(FORMATS)("$format", (line) => {
  test.each(NOT_TAKEN)("a summary %s is not taken: history is cut, and the agent goes on", async (_, summary) => {
    let turns = 0;
    const script: WireScript = (request) => {
      if (isSummary(request)) return summary;
      return turns++ < 8 ? { parts: [read(LINES_OF_FILE)] } : say("done");
    };
    await using wired = await openWired(line, script, { agents, files, userFiles: userFilesFor(line.model) });
    const task = await wired.cadre.run({ agent: "agent", prompt: "Mend it." });
    expect(task.outcome).toMatchObject({ status: "completed", answer: "done", recovered: null });
    expect(wired.server.requests.some(isSummary)).toBe(true);
    const compacted = factsIn(await wired.log(task), "history.compacted");
    expect(compacted.length).toBeGreaterThan(0);
    for (const { summary: text } of compacted) expect(text).toMatch(/^- Read \{"file_path":"big\.txt"/);
    const shown = wired.server.requests.filter((request) => !isSummary(request));
    for (const request of shown) expect(JSON.stringify(request.body).length).toBeLessThan(32_000 * 4);
    expect(JSON.stringify(shown.map(({ body }) => body))).not.toContain(MARK);
  });

  test("a model whose summary was too long is not asked again before it all fits, and then it is", async () => {
    const small = Array.from({ length: 9 }, () => [read(100)]);
    // Both steps of making room are needed: the older turns, and then the newer ones too.
    const large = Array.from({ length: 6 }, () => read(LINES_OF_FILE));
    const turns = [...small, large, ...small, large];
    const asked: number[] = [];
    let turn = 0;
    const script: WireScript = (request) => {
      if (isSummary(request)) {
        asked.push(turn);
        return say(asked.length === 1 ? `${MARK} `.repeat(10_000) : MARK);
      }
      const parts = turns[turn++];
      return parts === undefined ? say("done") : { parts };
    };
    await using wired = await openWired(line, script, { agents, files, userFiles: userFilesFor(line.model) });
    const task = await wired.cadre.run({ agent: "agent", prompt: "Mend it." });
    expect(task.outcome).toMatchObject({ status: "completed", answer: "done", recovered: null });
    const compacted = factsIn(await wired.log(task), "history.compacted");
    expect(compacted.map(({ summary }) => summary === MARK)).toEqual([false, false, false, true, true]);
    expect(asked).toEqual([10, 20, 20]);
  });
});
