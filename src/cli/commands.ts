// The commands, each loaded only when it is used: starting up stays quick however many there are.
import type { Command } from "./command.ts";

export const COMMANDS = {
  run: () => import("./commands/run.ts"),
  status: () => import("./commands/status.ts"),
  show: () => import("./commands/show.ts"),
  agents: () => import("./commands/agents.ts"),
  trust: () => import("./commands/trust.ts"),
  demo: () => import("./commands/demo.ts"),
} as const satisfies Record<string, () => Promise<{ command: Command }>>;
