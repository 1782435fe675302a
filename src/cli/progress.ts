// What goes on, while it goes on: one line per event, named after the task that it is about.
import type { Envelope } from "../schema/index.ts";
import type { Output } from "./output.ts";
import { eventLine } from "./render/events.ts";

const MIN_WIDTH = 12;

/** Takes a tree's events, in order. Names are `agent#number`, as every command takes them. */
export function progress(out: Output): (envelope: Envelope) => void {
  const names = new Map<string, string>();
  const depths = new Map<string, number>();
  let width = MIN_WIDTH;
  return (envelope) => {
    const { stream, event } = envelope;
    if (event.type === "task.admitted") {
      const name = `${event.spec.definition.name}#${event.number}`;
      names.set(stream, name);
      depths.set(stream, event.spec.depth);
      width = Math.max(width, name.length + event.spec.depth * 2);
    }
    const line = eventLine(envelope, out.colors);
    const name = names.get(stream);
    if (line === null || name === undefined) return;
    const indented = `${"  ".repeat(depths.get(stream) ?? 0)}${name}`;
    out.talk(`${out.colors.bold(indented.padEnd(width))}  ${line}`);
  };
}
