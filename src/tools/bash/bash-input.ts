import * as z from "zod";

const DEFAULT_TIMEOUT_MS = 120_000;
const LONGEST_TIMEOUT_MS = 600_000;
const LONGEST_COMMAND = 100_000; // the system takes no argument that is much longer

export const BashInput = z.strictObject({
  command: z
    .string()
    .max(LONGEST_COMMAND, `a command has at most ${LONGEST_COMMAND} characters: write a script to a file, and run that`)
    .refine((text) => text.trim() !== "", "there is no command")
    .refine((text) => !text.includes("\0"), "a command cannot hold a NUL character")
    .describe("What bash is to run."),
  description: z.string().optional().describe("What it does, in a few words, for people."),
  timeout: z
    .int()
    .min(1)
    .max(LONGEST_TIMEOUT_MS)
    .default(DEFAULT_TIMEOUT_MS)
    .describe("Milliseconds until it is ended. Not for what runs in the background."),
  run_in_background: z
    .boolean()
    .default(false)
    .describe("Returns at once, with an id for TaskOutput and TaskStop. It ends with your task at the latest."),
});
export type BashInput = z.infer<typeof BashInput>;
