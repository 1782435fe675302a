// The commands, each loaded only when it is used: starting up stays quick however many there are.
import type { Command } from "./command.ts";

type Loaders = Readonly<Record<string, () => Promise<{ command: Command }>>>;

export const COMMANDS = {
  run: () => import("./commands/run.ts"),
  start: () => import("./commands/start.ts"),
  work: () => import("./commands/work.ts"),
  batch: () => import("./commands/batch.ts"),
  status: () => import("./commands/status.ts"),
  show: () => import("./commands/show.ts"),
  output: () => import("./commands/output.ts"),
  logs: () => import("./commands/logs.ts"),
  stop: () => import("./commands/stop.ts"),
  retry: () => import("./commands/retry.ts"),
  send: () => import("./commands/send.ts"),
  merge: () => import("./commands/merge.ts"),
  inbox: () => import("./commands/inbox.ts"),
  sessions: () => import("./commands/sessions.ts"),
  agents: () => import("./commands/agents.ts"),
  trust: () => import("./commands/trust.ts"),
  memory: () => import("./commands/memory.ts"),
  tools: () => import("./commands/tools.ts"),
  mcp: () => import("./commands/mcp.ts"),
  serve: () => import("./commands/serve.ts"),
  connect: () => import("./commands/connect.ts"),
  disconnect: () => import("./commands/disconnect.ts"),
  config: () => import("./commands/config.ts"),
  init: () => import("./commands/init.ts"),
  doctor: () => import("./commands/doctor.ts"),
  demo: () => import("./commands/demo.ts"),
  completion: () => import("./commands/completion.ts"),
  complete: async () => ({ command: (await import("./commands/completion.ts")).completeWith(all()) }),
} as const satisfies Loaders;

/** By a function: the table is still being made where it is named. */
function all(): Loaders {
  return COMMANDS;
}
