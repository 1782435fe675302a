import { existsSync } from "node:fs";
import * as z from "zod";
import type { Cadre } from "../../app/index.ts";
import type { TaskId } from "../../schema/index.ts";
import { allEvents } from "../all-events.ts";
import { defineCommand } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { heldBackOf } from "../held-back.ts";
import { wholeNumber } from "../numbers.ts";
import { asCalled } from "../render/as-called.ts";
import { eventLine } from "../render/events.ts";
import { taskDetails } from "../render/tasks.ts";
import { resolveTask } from "../resolve-task.ts";
import { spentWithChildren } from "../spent-below.ts";

export const command = defineCommand({
  usage: "show <task>",
  summary: "Show one task: its state, attempts, cost, last events and result",
  operations: ["task.find", "task.get", "task.events", "task.held-back"],
  options: { "--events <n>": "how many of its last events to show (10)" },
  examples: ["cadre show @last", "cadre show oracle#4"],
  args: z.object({ task: z.string(), events: wholeNumber(0, 1000).default(10) }),
  async run({ open, out }, args) {
    await using cadre = await open();
    const id = await resolveTask(cadre, args.task);
    const task = await cadre.call("task.get", { task: id });
    const behind = await heldBackOf(cadre, [task]);
    const isKept = task.kept !== null && existsSync(task.kept.root);
    const fate = task.kept === null || isKept ? null : await fateOf(cadre, id);
    const events = await allEvents(cadre, id);
    const rawLog = cadre.rawLog(id);
    const below = await spentWithChildren(cadre, task);
    out.data({ task, events: lastOf(events, args.events), rawLog }, (_, colors) => {
      const lines = events
        .map(asCalled())
        .map((event) => eventLine(event, colors))
        .filter((line) => line !== null);
      const shown = lastOf(lines, args.events);
      return [
        taskDetails(task, colors, { behind, fate, below }, rawLog),
        ...(shown.length > 0 ? ["", ...shown.map((line) => `  ${line}`)] : []),
      ].join("\n");
    });
    return EXIT.ok;
  },
});

const lastOf = <T>(all: readonly T[], count: number): T[] => all.slice(Math.max(0, all.length - count));

/** Who has merged or thrown away what a task left: of its whole tree, that may have been said of another task. */
async function fateOf(cadre: Cadre, task: TaskId): Promise<string> {
  const events = await allEvents(cadre, task, "control");
  const last = events.findLast(
    ({ event }) => event.type === "workspace.merged" || event.type === "workspace.discarded",
  );
  if (last?.event.type === "workspace.merged") return `merged by ${last.event.by}`;
  return last?.event.type === "workspace.discarded" ? `thrown away by ${last.event.by}` : "merged or thrown away since";
}
