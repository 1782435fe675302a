// What goes on, while it goes on: one line per event, named after the task that it is about.
import type { Envelope, TaskSpec, TaskView } from "../schema/index.ts";
import type { Output } from "./output.ts";
import { asCalled } from "./render/as-called.ts";
import { eventLine } from "./render/events.ts";

const MIN_WIDTH = 12;

/** Takes a tree's events, in order. Names are `agent#number`, as every command takes them. */
export interface Lines {
  (envelope: Envelope): void;
  /** Why a task is not started. The log has no event of that, and one line is enough for all that wait for the same. */
  waits(stream: string, why: string): void;
}

export function progress(out: Output, known: readonly TaskView[] = []): Lines {
  const names = new Map<string, string>();
  const named = asCalled();
  const told = new Set<string>();
  let width = MIN_WIDTH;
  const introduce = (stream: string, { definition, depth }: TaskSpec, number: number) => {
    const name = `${"  ".repeat(depth)}${definition.name}#${number}`;
    names.set(stream, name);
    width = Math.max(width, name.length);
  };
  for (const { id, spec, number } of known) introduce(`task:${id}`, spec, number);
  const say = (stream: string, line: string) => {
    const name = names.get(stream);
    if (name !== undefined) out.talk(`${out.colors.bold(name.padEnd(width))}  ${line}`);
  };
  const take = (envelope: Envelope) => {
    const { stream, event } = envelope;
    if (event.type === "task.admitted") introduce(stream, event.spec, event.number);
    const line = eventLine(named(envelope), out.colors);
    if (line !== null) say(stream, line);
  };
  const waits = (stream: string, why: string) => {
    if (!told.has(why)) say(stream, out.colors.dim(`waits: ${why}`));
    told.add(why);
  };
  return Object.assign(take, { waits });
}
