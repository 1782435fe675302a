// Which queued tasks wait for the resident: those that whoever asked for them left to a worker of its own.
import type { TaskView } from "../schema/index.ts";

/** As long as this a worker that was just started may take until it is there. */
const STARTING_MS = 3_000;

/** `cadre run` and the library work on what they start themselves; `cadre start` waits for a person. */
export const waitsForResident = ({ status, spec, attempts, updatedAt }: TaskView, now: number): boolean =>
  status === "pending" &&
  spec.dispatch === "auto" &&
  (spec.background || spec.origin.mouth === "mcp") &&
  (attempts.length > 0 || now - updatedAt >= STARTING_MS);
