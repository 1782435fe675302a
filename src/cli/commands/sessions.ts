import { writeFile } from "node:fs/promises";
import * as z from "zod";
import { invalidInput } from "../../errors/index.ts";
import { type CommandContext, defineCommand } from "../command.ts";
import { EXIT, EXIT_FOR_STATUS, type Exit } from "../exit-codes.ts";
import { numberFrom, wholeNumber } from "../numbers.ts";
import { readPrompt } from "../read-prompt.ts";
import { safeText } from "../render/safe-text.ts";
import { sessionTable, sessionText } from "../render/sessions.ts";
import { outcomeText } from "../render/tasks.ts";
import { resolveSession } from "../resolve-session.ts";
import { runAndWatch } from "../run-and-watch.ts";

const Args = z.object({
  action: z.enum(["list", "show", "resume", "prune", "export"]).default("list"),
  session: z.string().optional(),
  prompt: z.string().optional(),
  agent: z.string().optional(),
  limit: wholeNumber(1, 1000).optional(),
  before: z.string().optional(),
  fork: z.boolean().default(false),
  background: z.boolean().default(false),
  backend: z.string().optional(),
  unusedDays: numberFrom(0).optional(),
  format: z.enum(["markdown", "json"]).optional(),
  to: z.string().optional(),
});
type Args = z.infer<typeof Args>;

export const command = defineCommand({
  usage: "sessions [action] [session] [prompt]",
  summary: "List sessions, show one, go on with it, let go of old ones, or export a transcript",
  operations: ["session.list", "session.get", "session.prune", "session.export", "task.start", "task.get"],
  options: {
    "--agent <name>": "with list: of this agent",
    "--limit <n>": "with list: how many at the most",
    "--before <session>": "with list: those after this one: the next page",
    "--fork": "with resume: in a new session that begins with what was said there",
    "-b, --background": "with resume: return at once; a worker of its own runs it",
    "--backend <name>": "with resume: on this backend, not on the one that it ran on",
    "--unused-days <n>": "with prune: those that were not used for so long; else as sessions.expiry_days says",
    "--format <format>": "with export: markdown, or json",
    "--to <file>": "with export: write it there; the file must not exist",
  },
  examples: [
    "cadre sessions",
    "cadre sessions show sess_01k…",
    'cadre sessions resume sess_01k… "Now document each of them"',
    "cadre sessions prune --unused-days 30",
    "cadre sessions export sess_01k… --to review.md",
  ],
  args: Args,
  run: (context, args) => ACTIONS[args.action](context, args),
});

const ACTIONS: Readonly<Record<Args["action"], (context: CommandContext, args: Args) => Promise<Exit>>> = {
  async list({ open, out }, { agent, limit, before }) {
    await using cadre = await open();
    const { sessions, next } = await cadre.call("session.list", { agent, limit, before });
    out.data({ sessions, next }, (_, colors) => sessionTable(sessions, colors));
    if (next !== null) out.talk(`There is more: cadre sessions list --before ${next}`);
    return EXIT.ok;
  },
  async show({ open, out }, args) {
    const named = sessionOf(args, "show");
    await using cadre = await open();
    const session = await resolveSession(cadre, named);
    out.data(await cadre.call("session.get", { session }), sessionText);
    return EXIT.ok;
  },
  resume,
  async prune({ open, out }, { session, unusedDays }) {
    await using cadre = await open();
    const sessions = session === undefined ? undefined : [await resolveSession(cadre, session)];
    const done = await cadre.call("session.prune", { sessions, unusedDays });
    out.data(done, ({ pruned, kept }) =>
      [`${pruned.length} removed`, ...kept.map((id) => `${id} is in use, and stays`)].join("\n"),
    );
    return EXIT.ok;
  },
  async export({ open, out }, args) {
    const named = sessionOf(args, "export");
    const { format, to } = args;
    await using cadre = await open();
    const session = await resolveSession(cadre, named);
    const made = await cadre.call("session.export", { session, format, toFile: to !== undefined });
    if (to === undefined) out.data(made, ({ text }) => safeText(text).trimEnd());
    else {
      await writeNew(to, made.text);
      out.data({ session, format: made.format, file: to }, () => to);
    }
    return EXIT.ok;
  },
};

/** On what it ran on before: a conversation goes on where it was held. */
async function resume(context: CommandContext, args: Args): Promise<Exit> {
  const named = sessionOf(args, "resume");
  if (args.prompt === undefined)
    throw invalidInput("this needs a prompt", { hint: 'cadre sessions resume <session> "<prompt>"' });
  const { fork, background, backend } = args;
  const isTerminal = context.streams.stdin.isTTY === true;
  await using cadre = await context.open({ askable: background ? "inbox" : isTerminal ? "terminal" : "nobody" });
  const session = await resolveSession(cadre, named);
  const { agent, tasks } = await cadre.call("session.get", { session });
  const latest = tasks.at(-1);
  const ranOn = latest === undefined ? undefined : (await cadre.call("task.get", { task: latest })).backend;
  const request = {
    agent,
    session,
    fork,
    prompt: await readPrompt(args.prompt, context.signal),
    backend: backend ?? ranOn,
  };
  if (background) {
    const task = await cadre.start({ ...request, background });
    await cadre.ensureWorker();
    context.out.data(task, ({ id }) => id);
    return EXIT.ok;
  }
  const [task] = await runAndWatch(context, cadre, [request]);
  if (task === undefined) return EXIT.bug;
  context.out.data(task, ({ outcome, status }) =>
    outcome === null ? `${task.id} is ${status}` : outcomeText(outcome),
  );
  return EXIT_FOR_STATUS[task.status];
}

function sessionOf({ session }: Args, action: string): string {
  if (session !== undefined) return session;
  throw invalidInput("this needs a session", {
    hint: `cadre sessions ${action} <session>. List those there are: cadre sessions`,
  });
}

/** For its owner only, and never over something that is there. */
async function writeNew(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text, { flag: "wx", mode: 0o600 });
  } catch (error) {
    throw invalidInput(`${file} cannot be written: ${error instanceof Error ? error.message : String(error)}`, {
      hint: "Name a file that does not exist yet, in a folder that does.",
    });
  }
}
