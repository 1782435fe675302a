import * as z from "zod";
import { invalidInput } from "../../errors/index.ts";
import { type CommandContext, defineCommand, repeated } from "../command.ts";
import { EXIT, type Exit } from "../exit-codes.ts";
import { changeReport, hostTable, isRefused } from "../render/hosts.ts";

export const command = defineCommand({
  usage: "connect [host]",
  summary: "Let another program delegate to Cadre: claude, codex, gemini, opencode, qwen, copilot, goose, cursor, zed",
  operations: ["host.list", "host.connect"],
  options: {
    "--user": "in the user's own configuration of that program",
    "--project": "in this project's",
    "--dialect <name>": "whose names the tools have: cadre, glee, gencode, gemini or yeet",
    "--env <name...>":
      "a variable that agents need, where that program hands on only some: codex, gemini, copilot, cursor",
    "--no-commands": "the server only, without /oracle, /review, /pair and /orchestrate",
    "--personas": "gemini: its coder-agent and reviewer-agent as well",
    "--dry": "show what would change, write nothing",
  },
  examples: [
    "cadre connect",
    "cadre connect claude --dry",
    "cadre connect codex --env ANTHROPIC_API_KEY",
    "cadre connect gemini --project --personas",
  ],
  args: z.object({
    host: z.string().optional(),
    user: z.boolean().default(false),
    project: z.boolean().default(false),
    dialect: z.string().optional(),
    env: repeated,
    commands: z.boolean().default(true),
    personas: z.boolean().default(false),
    dry: z.boolean().default(false),
  }),
  async run(context, { host, user, project, ...wish }) {
    if (host === undefined) return list(context);
    await using cadre = await context.open();
    const done = await cadre.call("host.connect", { host, scope: scopeOf(user, project), ...wish });
    context.out.data(done, (_, colors) => changeReport(done, colors));
    if (!wish.dry && done.changes.some(({ result }) => result === "written" || result === "updated"))
      context.out.talk(`Start ${host} again for it to see this. To take it back: cadre disconnect ${host}`);
    return done.changes.some(isRefused) ? EXIT.taskFailed : EXIT.ok;
  },
});

export function scopeOf(user: boolean, project: boolean): "user" | "project" | undefined {
  if (user && project) throw invalidInput("--user and --project are one too many", { hint: "Give one of them." });
  return user ? "user" : project ? "project" : undefined;
}

async function list({ open, out }: CommandContext): Promise<Exit> {
  await using cadre = await open();
  const found = await cadre.call("host.list", {});
  out.data(found, ({ hosts }) => hostTable(hosts));
  return EXIT.ok;
}
