import * as z from "zod";
import type { Cadre } from "../../app/index.ts";
import { CadreError, invalidInput } from "../../errors/index.ts";
import type { TaskId } from "../../schema/index.ts";
import { askYes } from "../ask-line.ts";
import { type CommandContext, defineCommand } from "../command.ts";
import { EXIT, type Exit } from "../exit-codes.ts";
import { changesText, mergeText, workTable } from "../render/work.ts";
import { safeLine, safeText } from "../render/safe-text.ts";
import { resolveTask } from "../resolve-task.ts";

const MergeArgs = z.object({
  task: z.string().optional(),
  list: z.boolean().default(false),
  dry: z.boolean().default(false),
  squash: z.boolean().default(false),
  delete: z.boolean().default(false),
  includeProtected: z.boolean().default(false),
  yes: z.boolean().default(false),
});

export const command = defineCommand({
  usage: "merge [task]",
  summary: "Show what a task has changed in its worktree or private copy, and bring it into the project",
  operations: ["task.find", "workspace.list", "workspace.diff", "workspace.merge", "workspace.discard"],
  options: {
    "--list": "list the work that is kept",
    "--dry": "only show it, and whether it would merge",
    "--squash": "as one commit of its own",
    "--delete": "throw it away instead",
    "--include-protected": "also files that decide what other programs run later",
    "-y, --yes": "do not ask first",
  },
  examples: ["cadre merge --list", "cadre merge writer#4", "cadre merge --dry @last"],
  args: MergeArgs,
  async run(context, args) {
    const { open, out } = context;
    await using cadre = await open();
    if (args.list || args.task === undefined) {
      const { work } = await cadre.call("workspace.list", {});
      out.data(work, workTable);
      return EXIT.ok;
    }
    const task = await resolveTask(cadre, args.task);
    const changes = await changesOf(context, cadre, task, args);
    if (changes === "unknown") return await throwAway(context, cadre, task, args);
    if (changes === null) {
      out.data({ changes, answer: { kind: "nothing" } }, () => "There is nothing to merge.");
      return EXIT.ok;
    }
    if (!out.isJson || isAsked(context, args)) {
      for (const [what, paths] of [
        [
          "Files that your programs run, or obey, as soon as you install, build, test or open the project",
          changes.runsLater,
        ],
        ["Files that decide what other programs run later", changes.protected],
      ] as const) {
        if (paths.length === 0) continue;
        out.talk(out.colors.yellow(`${what}: read these first.`));
        for (const path of paths) out.talk(`  ${safeLine(path)}`);
        out.talk("");
      }
      out.talk(changesText(changes, out.colors));
    }
    if (args.delete && args.dry) {
      out.data({ changes, discarded: false }, () => "All of this would be thrown away.");
      return EXIT.ok;
    }
    if (args.delete) return await throwAway(context, cadre, task, args);
    await agree(context, args, "Merge this?");
    const { squash, dry, includeProtected } = args;
    const answer = await cadre.call("workspace.merge", {
      task,
      squash,
      dry,
      includeProtected,
      commit: changes.commit,
    });
    out.data({ changes, answer }, () => mergeText(answer, dry));
    return exitFor(answer.kind);
  },
});

/** `unknown`: git cannot say, which keeps nobody from throwing it away. */
async function changesOf({ out }: CommandContext, cadre: Cadre, task: TaskId, args: z.output<typeof MergeArgs>) {
  try {
    return await cadre.call("workspace.diff", { task });
  } catch (error) {
    if (!args.delete || args.dry || !CadreError.isInstance(error) || error.code !== "workspace.failed") throw error;
    out.talk(out.colors.yellow(safeText(error.message)));
    return "unknown";
  }
}

async function throwAway(
  context: CommandContext,
  cadre: Cadre,
  task: TaskId,
  args: z.output<typeof MergeArgs>,
): Promise<Exit> {
  await agree(context, args, "Throw all of this away?");
  await cadre.call("workspace.discard", { task });
  context.out.data({ task, discarded: true }, () => `What ${task} left is thrown away.`);
  return EXIT.ok;
}

const exitFor = (kind: "merged" | "nothing" | "conflicts" | "in-the-way"): Exit =>
  kind === "conflicts" || kind === "in-the-way" ? EXIT.refused : EXIT.ok;

/** On a terminal a person is shown it first; elsewhere there is nobody to ask. */
const isAsked = ({ streams }: CommandContext, { yes, dry }: z.output<typeof MergeArgs>): boolean =>
  !yes && !dry && streams.stdin.isTTY === true;

async function agree(context: CommandContext, args: z.output<typeof MergeArgs>, question: string): Promise<void> {
  if (!isAsked(context, args) || (await askYes(question, context.signal))) return;
  throw invalidInput("nothing was done", { hint: "Answer y to go on." });
}
