import * as z from "zod";
import { allEvents } from "../all-events.ts";
import { defineCommand } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { keepAwake } from "../keep-awake.ts";
import { progress } from "../progress.ts";
import { resolveTask } from "../resolve-task.ts";
import { asCalled } from "../render/as-called.ts";
import { eventLine } from "../render/events.ts";
import { tellUnheard } from "../tell-beside.ts";

export const command = defineCommand({
  usage: "logs <task>",
  summary: "Print what happened to a task, event by event",
  operations: ["task.find", "task.get", "task.events"],
  options: { "-f, --follow": "go on until it and everything below it have ended" },
  args: z.object({ task: z.string(), follow: z.boolean().default(false) }),
  async run({ open, out, streams, signal }, args) {
    await using cadre = await open();
    const id = await resolveTask(cadre, args.task);
    if (args.follow) {
      using _awake = keepAwake(cadre);
      const show = progress(out);
      const over = AbortSignal.any([signal, streams.unread]);
      for await (const envelope of cadre.tail(await cadre.call("task.get", { task: id }), { signal: over })) {
        out.item(envelope, show);
      }
      tellUnheard(out, await cadre.call("task.get", { task: id }));
      return EXIT.ok;
    }
    const events = await allEvents(cadre, id);
    out.data(events, (_, colors) =>
      events
        .map(asCalled())
        .map((envelope) => [new Date(envelope.at).toISOString(), eventLine(envelope, colors)] as const)
        .flatMap(([at, line]) => (line === null ? [] : [`${at}  ${line}`]))
        .join("\n"),
    );
    tellUnheard(out, await cadre.call("task.get", { task: id }));
    return EXIT.ok;
  },
});
