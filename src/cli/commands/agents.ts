import { resolve } from "node:path";
import * as z from "zod";
import { invalidInput } from "../../errors/index.ts";
import { type CommandContext, defineCommand } from "../command.ts";
import { EXIT, type Exit } from "../exit-codes.ts";
import { agentPage, agentTable } from "../render/agents.ts";
import { exportLines, exportReport, importReport, isBad } from "../render/conversions.ts";
import { counted } from "../render/counted.ts";
import { safeLine } from "../render/safe-text.ts";

const Args = z.object({
  action: z.enum(["list", "show", "check", "new", "import", "export"]).default("list"),
  agent: z.array(z.string()).default([]),
  from: z.string().optional(),
  file: z.string().optional(),
  to: z.string().optional(),
  out: z.string().optional(),
  all: z.boolean().default(false),
  dry: z.boolean().default(false),
  update: z.boolean().default(false),
  allowLoss: z.boolean().default(false),
  strict: z.boolean().default(false),
});
type Args = z.infer<typeof Args>;

export const command = defineCommand({
  usage: "agents [action] [agent...]",
  summary: "List, show, check and make agents; import and export those of other programs",
  operations: ["agent.list", "agent.get", "agent.check", "agent.import", "agent.export", "agent.create"],
  options: {
    "--from <what>": "import: the program whose agents they are, such as claude; new: what the agent is for",
    "--file <file>": "import: one file",
    "--to <program>": "export: the program that they are for",
    "--out <folder>": "export: write them there",
    "--all": "import: the user's own agents too; export: every agent",
    "--dry": "import, export: show what would happen, write nothing",
    "--update": "import, export: overwrite what was changed since",
    "--allow-loss": "export: even if what restricts an agent is lost",
    "--strict": "check: a warning counts as a problem",
  },
  examples: [
    "cadre agents list",
    "cadre agents show reviewer",
    "cadre agents check .cadre/agents/reviewer.md",
    "cadre agents check --strict",
    'cadre agents new proofreader --from "Finds mistakes in texts"',
    "cadre agents import --from claude --dry",
    "cadre agents import --file .claude/agents/reviewer.md",
    "cadre agents export reviewer --to gemini",
  ],
  args: Args,
  run: (context, args) => ACTIONS[args.action](context, args),
});

const ACTIONS: Readonly<Record<Args["action"], (context: CommandContext, args: Args) => Promise<Exit>>> = {
  async list({ open, out }, args) {
    atMost(0, args, "cadre agents show <agent>");
    await using cadre = await open();
    const listing = await cadre.call("agent.list", {});
    out.data(listing, ({ agents }) => agentTable(agents, cadre.project));
    for (const { source, message } of listing.problems) out.talk(out.colors.yellow(safeLine(`${source}: ${message}`)));
    return EXIT.ok;
  },
  async show({ open, out }, args) {
    const name = one(args, "the name of an agent", "cadre agents show <agent>");
    await using cadre = await open();
    const agent = await cadre.call("agent.get", { agent: name });
    out.data(agent, (shown, colors) => agentPage(shown, cadre.project, colors));
    return EXIT.ok;
  },
  async check({ open, out }, args) {
    atMost(1, args, "cadre agents check <file or folder>");
    const [path] = args.agent;
    await using cadre = await open();
    const checked = await cadre.call("agent.check", path === undefined ? {} : { path: resolve(path) });
    const of = (wanted: "problem" | "warning" | "note") => checked.findings.filter(({ kind }) => kind === wanted);
    const [problems, warnings, notes] = [of("problem"), of("warning"), of("note")];
    const isWrong = problems.length > 0 || (args.strict && warnings.length > 0);
    for (const { source, message } of notes) out.talk(safeLine(`${source}: ${message}`));
    out.data(checked, (_, colors) => {
      const lines = [
        ...problems.map(({ source, message }) => `${safeLine(source)}: ${safeLine(message)}`),
        ...warnings.map(({ source, message }) => `${safeLine(source)}: warning: ${safeLine(message)}`),
      ];
      const warned = warnings.length === 0 ? "" : `, ${counted(warnings.length, "warning")}`;
      const total = `${counted(checked.checked, "agent")} checked, ${counted(problems.length, "problem")}${warned}`;
      return [...lines, isWrong ? colors.red(total) : colors.green(total)].join("\n");
    });
    return isWrong ? EXIT.taskFailed : EXIT.ok;
  },
  async new({ open, out }, args) {
    const name = one(args, "a name", 'cadre agents new <name> --from "What it is for"');
    await using cadre = await open();
    const { file } = await cadre.call("agent.create", { name, description: args.from });
    out.data({ file }, () => safeLine(file));
    out.talk("Edit it, then: cadre agents check");
    return EXIT.ok;
  },
  async import({ open, out }, args) {
    atMost(0, args, "One agent alone is imported by its file: cadre agents import --file <file>");
    const { from, file, all, dry, update } = args;
    await using cadre = await open();
    const path = file === undefined ? undefined : resolve(file);
    const done = await cadre.call("agent.import", { from, file: path, all, dry, update });
    out.data(done, ({ agents }, colors) => importReport(agents, dry, colors));
    const isNew = done.agents.some(({ result }) => result === "written" || result === "updated");
    if (isNew && !dry) out.talk("Agents of a project run once somebody has seen them: cadre trust");
    return done.agents.some(isBad) ? EXIT.taskFailed : EXIT.ok;
  },
  async export({ open, out }, { agent, to, out: folder, all, dry, update, allowLoss }) {
    if (to === undefined)
      throw invalidInput("this needs a program", { hint: "cadre agents export <agent> --to claude" });
    await using cadre = await open();
    // One agent is printed; more than one need files.
    const isShown = folder === undefined && !all && agent.length < 2;
    const where = isShown ? null : folder === undefined ? undefined : resolve(folder);
    const done = await cadre.call("agent.export", { agents: agent, all, to, out: where, dry, update, allowLoss });
    const [only] = done.agents;
    if (isShown && only !== undefined && !out.isJson) {
      if (!isBad(only)) out.data(only, ({ text }) => text.replace(/\n$/, ""));
      for (const line of exportLines(only, dry, out.colors)) out.talk(line);
    } else out.data(done, ({ agents }, colors) => exportReport(agents, dry, colors));
    return done.agents.some(isBad) ? EXIT.taskFailed : EXIT.ok;
  },
};

/** A word too many is not left out in silence: somebody means something by it. */
function atMost(most: number, { action, agent }: Args, hint: string): void {
  const extra = agent[most];
  if (extra !== undefined) throw invalidInput(`${action} takes no "${extra}"`, { hint });
}

function one(args: Args, what: string, hint: string): string {
  atMost(1, args, hint);
  const [name] = args.agent;
  if (name !== undefined) return name;
  throw invalidInput(`this needs ${what}`, { hint });
}
