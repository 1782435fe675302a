import type { Envelope } from "../../schema/index.ts";

/**
 * Takes events in order. To the policy, and in its events, all delegation is `Task`; the reader is shown the name that the
 * model called: of a tool for one agent, that is the agent's.
 */
export function asCalled(): (envelope: Envelope) => Envelope {
  const called = new Map<string, string>();
  return (envelope) => {
    const { stream, event } = envelope;
    if (event.type === "model.replied") for (const { id, tool } of event.calls) called.set(`${stream} ${id}`, tool);
    if ((event.type !== "tool.called" && event.type !== "tool.refused") || event.of === null) return envelope;
    const key = `${stream} ${event.of}`;
    const tool = called.get(key) ?? event.tool;
    called.delete(key);
    return { ...envelope, event: { ...event, tool } };
  };
}
