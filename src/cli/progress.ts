// What goes on, while it goes on: one line per event, named after the task that it is about.
import type { Envelope, TaskSpec, TaskView } from "../schema/index.ts";
import type { Output } from "./output.ts";
import { eventLine } from "./render/events.ts";

const MIN_WIDTH = 12;

/** Takes a tree's events, in order. Names are `agent#number`, as every command takes them. */
export function progress(out: Output, known: readonly TaskView[] = []): (envelope: Envelope) => void {
  const names = new Map<string, string>();
  let width = MIN_WIDTH;
  const introduce = (stream: string, { definition, depth }: TaskSpec, number: number) => {
    const name = `${"  ".repeat(depth)}${definition.name}#${number}`;
    names.set(stream, name);
    width = Math.max(width, name.length);
  };
  for (const { id, spec, number } of known) introduce(`task:${id}`, spec, number);
  return (envelope) => {
    const { stream, event } = envelope;
    if (event.type === "task.admitted") introduce(stream, event.spec, event.number);
    const line = eventLine(envelope, out.colors);
    const name = names.get(stream);
    if (line !== null && name !== undefined) out.talk(`${out.colors.bold(name.padEnd(width))}  ${line}`);
  };
}
