import type { Backend } from "../ports/index.ts";
import type { LoopParts } from "./loop-parts.ts";

const MEGABYTE = 1024 * 1024;

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
    const { AgentRun } = await import("./agent-run.ts");
    const opened = await AgentRun.open(await open(), attempt, scope);
    return opened instanceof AgentRun ? opened.run() : opened;
  },
});
