// What is worth showing while it happens and not worth keeping: never a row in the log.
import * as z from "zod";

export const LivePart = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("text-delta"), text: z.string() }),
  z.strictObject({ type: z.literal("reasoning-delta"), text: z.string() }),
  z.strictObject({ type: z.literal("output-delta"), call: z.string(), text: z.string() }),
]);
export type LivePart = z.infer<typeof LivePart>;
