import * as z from "zod";
import { WorkerId } from "./id.ts";

/**
 * Who holds an attempt. On one machine a worker is alive or dead by what the machine itself says of this
 * very process (boot, pid namespace, pid, start time), never by a clock: a laptop that slept loses nothing.
 */
export const Worker = z.strictObject({
  id: WorkerId,
  host: z.string(),
  bootId: z.string(),
  pidNamespace: z.string(),
  pid: z.int().positive(),
  startTime: z.string(),
});
export type Worker = z.infer<typeof Worker>;
