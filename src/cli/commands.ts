// The commands, each loaded only when it is used: starting up stays quick however many there are.
import type { Command } from "./command.ts";

export const COMMANDS = {
  run: () => import("./commands/run.ts"),
  start: () => import("./commands/start.ts"),
  work: () => import("./commands/work.ts"),
  status: () => import("./commands/status.ts"),
  show: () => import("./commands/show.ts"),
  output: () => import("./commands/output.ts"),
  logs: () => import("./commands/logs.ts"),
  stop: () => import("./commands/stop.ts"),
  retry: () => import("./commands/retry.ts"),
  send: () => import("./commands/send.ts"),
  inbox: () => import("./commands/inbox.ts"),
  sessions: () => import("./commands/sessions.ts"),
  agents: () => import("./commands/agents.ts"),
  trust: () => import("./commands/trust.ts"),
  demo: () => import("./commands/demo.ts"),
} as const satisfies Record<string, () => Promise<{ command: Command }>>;
