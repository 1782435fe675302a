// What a host says of its own confinement with a call. What it starts gets no more than it has itself.
import * as z from "zod";
import type { Ceiling } from "../schema/index.ts";

/** Where Codex says it. */
const CODEX = "x-codex-turn-metadata";

const CodexTurn = z.looseObject({ sandbox_mode: z.string() });

const CEILING: Readonly<Record<string, Ceiling | undefined>> = {
  "read-only": "read-only",
  "workspace-write": "workspace-write",
  "danger-full-access": undefined,
};

/** Nothing where the host says nothing. Whatever is said and not understood is the tightest. */
export function ceilingOf(meta: Readonly<Record<string, unknown>> | undefined): Ceiling | undefined {
  if (meta === undefined || !Object.hasOwn(meta, CODEX)) return undefined;
  const mode = CodexTurn.safeParse(parsed(meta[CODEX])).data?.sandbox_mode ?? "";
  return Object.hasOwn(CEILING, mode) ? CEILING[mode] : "read-only";
}

/** As an object, or as the text of one. */
function parsed(value: unknown): unknown {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}
