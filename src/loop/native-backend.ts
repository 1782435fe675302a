import type { Backend } from "../ports/index.ts";
import { AgentRun } from "./agent-run.ts";
import type { LoopParts } from "./loop-parts.ts";

const MEGABYTE = 1024 * 1024;

/** Cadre's own model loop as a way to run an attempt. */
export const nativeBackend = (parts: LoopParts): Backend => ({
  name: "native",
  capabilities: {
    resume: "turn",
    approvals: true,
    steering: true,
    structuredOutput: true,
    toolFilter: true,
    usage: "per-call",
    largestPromptBytes: 10 * MEGABYTE,
    processes: true,
    lastWords: true,
  },
  obstacle: parts.obstacle,
  run: async (attempt, scope) => (await AgentRun.open(parts, attempt, scope)).run(),
});
