import type { AgentDefinition } from "../../schema/index.ts";

/** What its author should know and need not change: what is allowed, kept, and does nothing here. */
export const notesOn = ({ triggers }: AgentDefinition): string[] =>
  triggers?.hotkey === undefined ? [] : [`triggers.hotkey: ${triggers.hotkey} is kept, but nothing here presses it`];
