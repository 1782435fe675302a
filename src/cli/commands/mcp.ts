import * as z from "zod";
import { packageVersion } from "../../app/version.ts";
import { defineCommand } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { wholeNumber } from "../numbers.ts";

export const command = defineCommand({
  usage: "mcp",
  summary: "Serve agents as tools to another program, by MCP on standard input and output",
  operations: [
    "task.start",
    "task.get",
    "task.list",
    "task.wait",
    "task.stop",
    "task.send",
    "session.get",
    "approval.relay",
    "agent.list",
    "memory.add",
    "memory.search",
    "inbox.list",
    "agent.create",
    "tool.create",
    "inbox.acknowledge",
  ],
  options: {
    "--dialect <name>": "whose names and texts the tools have: cadre, glee, gencode, gemini or yeet",
    "--wait-ms <n>": "how long a call waits for a result at the most (default: as the host bears)",
  },
  examples: ["cadre mcp", "cadre mcp --dialect glee", "claude mcp add cadre -- cadre mcp"],
  args: z.object({
    dialect: z.enum(["cadre", "glee", "gencode", "gemini", "yeet"]).default("cadre"),
    waitMs: wholeNumber(0, 600_000).optional(),
  }),
  async run({ open, out, signal, streams }, { dialect, waitMs }) {
    if (streams.stdin.isTTY === true)
      out.talk("This speaks MCP with a program. One that knows MCP starts it: claude mcp add cadre -- cadre mcp");
    const { serveMcp } = await import("../../mcp/serve-mcp.ts");
    await serveMcp({
      version: packageVersion(),
      dialect,
      waitMs,
      // A model speaks here, whoever sits at the terminal that this process was started from.
      open: () => open({ mouth: "mcp", isPerson: false, askable: "inbox" }),
      log: (line) => out.talk(line),
      signal,
    });
    return EXIT.ok;
  },
});
