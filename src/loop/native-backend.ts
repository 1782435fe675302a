import type { Backend } from "../ports/index.ts";
import type { AgentRun } from "./agent-run.ts";
import { failed } from "./failed.ts";
import type { LoopParts } from "./loop-parts.ts";

const MEGABYTE = 1024 * 1024;

/** Loaded when the first attempt runs on it: most commands run none. */
let loaded: Promise<typeof AgentRun> | undefined;
const load = (): Promise<typeof AgentRun> => (loaded ??= import("./agent-run.ts").then((module) => module.AgentRun));

/** Cadre's own model loop as a way to run an attempt. Its parts are opened when something is to run on it. */
export const nativeBackend = (
  open: () => Promise<LoopParts>,
  /** Asked of every worker, also of one that runs nothing on it. */
  secretNames: () => Promise<readonly string[]>,
): Backend => ({
  name: "native",
  capabilities: {
    resume: "turn",
    approvals: true,
    steering: true,
    structuredOutput: true,
    toolFilter: true,
    mcpServers: true,
    usage: "per-call",
    largestPromptBytes: 10 * MEGABYTE,
    processes: true,
    lastWords: true,
  },
  secrets: {
    names: secretNames,
    neededBy: async (spec) => (await open()).secretsFor(spec),
  },
  obstacle: async (spec, isMoneyLimited) => (await open()).obstacle(spec, isMoneyLimited),
  async run(attempt, scope) {
    const parts = await open();
    const { spec } = attempt.task;
    // Variables and settings may be others here, and by now, than where the task was admitted.
    const obstacle = await parts.obstacle(spec, spec.limits.budget.microUsd !== null);
    if (obstacle !== null) return failed("backend_unavailable", `${obstacle.message}. ${obstacle.hint}`);
    const run = await load();
    const opened = await run.open(parts, attempt, scope);
    return opened instanceof run ? opened.run() : opened;
  },
});
