// Ours, whole: the real composition with SQLite and state files in a home of its own, on the real disk.
import { mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Cadre, type CadreOptions, openCadre } from "../../../src/app/index.ts";
import type { Tool, Toolbox } from "../../../src/ports/index.ts";
import { answerSide, expectAnswer, LOOKED, together } from "../answer-side.ts";
import type { Work } from "../side.ts";

const look: Tool = {
  name: "Look",
  description: "Looks at a place.",
  effect: "none",
  inputSchema: {
    type: "object",
    properties: { at: { type: "string" } },
    required: ["at"],
    additionalProperties: false,
  },
  plan: () => ({ ok: true, use: { effect: "none" } }),
  run: async () => ({ ok: true, text: LOOKED }),
};

const toolbox: Toolbox = async () => ({ tools: [look], [Symbol.asyncDispose]: async () => undefined });

const common = { model: "openai-chat/scripted", prompt: "You look at places and say what you found." };
const AGENTS: CadreOptions["agents"] = [
  // What it may not do itself, those that it sends may not do either.
  {
    ...common,
    name: "lead",
    description: "Sends others",
    capabilities: ["orchestrator"],
    tools: ["Task(worker)", "Look"],
  },
  { ...common, name: "worker", description: "Looks at places", tools: ["Look"] },
];

function open(model: string): Promise<Cadre> {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), "cadre-bench-")));
  return openCadre({
    home: join(cwd, ".cadre"),
    cwd,
    userHome: cwd,
    env: { PATH: process.env["PATH"], OPENAI_API_KEY: "none", OPENAI_BASE_URL: `${model}/v1` },
    agents: AGENTS,
    toolboxes: [toolbox],
    settings: { maxConcurrent: 2000, rateLimitPerMin: 1_000_000_000, maxPerRoot: 2000, maxTurns: 50 },
  });
}

/** One per address of the model, as a program would have it: it is opened once, and runs many. */
const opened = new Map<string, Promise<Cadre>>();
const cadreFor = (model: string): Promise<Cadre> => {
  const cadre = opened.get(model) ?? open(model);
  opened.set(model, cadre);
  return cadre;
};

answerSide(async ({ model, prompt, count }: Work) => {
  const cadre = await cadreFor(model);
  const agent = prompt.startsWith("lead") ? "lead" : "worker";
  if (count === 1) return expectAnswer((await cadre.run({ agent, prompt })).outcome?.answer);
  const tasks = await together(count, () => cadre.start({ agent, prompt }));
  await cadre.work();
  for (const { id } of tasks) {
    const task = await cadre.call("task.get", { task: id });
    expectAnswer(task.outcome?.answer);
  }
});
