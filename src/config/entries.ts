import type { JsonObject } from "../schema/index.ts";
import type { KeyName } from "./keys.ts";
import type { ConfigValue } from "./kinds.ts";

export interface Entry {
  readonly key: KeyName;
  readonly value: ConfigValue;
  /** `file:line:column`, or the name of a variable. */
  readonly where: string;
}

export interface Problem {
  readonly where: string;
  readonly what: string;
}

/** `agents.<name>`: other values for fields of an agent, and whether there is to be one. */
export interface AgentEntry {
  readonly agent: string;
  readonly fields: JsonObject;
  readonly enabled?: boolean | undefined;
  readonly where: string;
}

/** What a file or the environment says. */
export interface Entries {
  readonly entries: readonly Entry[];
  readonly agents?: readonly AgentEntry[];
  readonly problems: readonly Problem[];
}

export const NOTHING: Entries = { entries: [], problems: [] };

const MAX_SHOWN = 60;

/** A value as a message quotes it. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}
