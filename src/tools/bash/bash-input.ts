import * as z from "zod";
import type { Json, JsonObject } from "../../schema/index.ts";

const DEFAULT_TIMEOUT_MS = 120_000;
const LONGEST_TIMEOUT_MS = 600_000;
const LONGEST_COMMAND = 100_000; // the system takes no argument that is much longer

const BashInput = z.strictObject({
  command: z
    .string()
    .max(LONGEST_COMMAND, `a command has at most ${LONGEST_COMMAND} characters: write a script to a file, and run that`)
    .refine((text) => text.trim() !== "", "there is no command")
    .refine((text) => !text.includes("\0"), "a command cannot hold a NUL character"),
  description: z.string().optional(),
  timeout: z.int().min(1).max(LONGEST_TIMEOUT_MS).default(DEFAULT_TIMEOUT_MS),
  run_in_background: z.boolean().default(false),
});
export type BashInput = z.infer<typeof BashInput>;

export type ReadInput =
  | { readonly ok: true; readonly input: BashInput }
  | { readonly ok: false; readonly problem: string };

export function readInput(json: Json): ReadInput {
  const parsed = BashInput.safeParse(json);
  if (parsed.success) return { ok: true, input: parsed.data };
  const problems = parsed.error.issues.map(({ path, message }) =>
    path.length === 0 ? message : `${path.join(".")}: ${message}`,
  );
  return { ok: false, problem: problems.join("; ") };
}

export const INPUT_SCHEMA: JsonObject = {
  type: "object",
  properties: {
    command: { type: "string", description: "What bash is to run." },
    description: { type: "string", description: "What it does, in a few words, for people." },
    timeout: {
      type: "integer",
      minimum: 1,
      maximum: LONGEST_TIMEOUT_MS,
      description: `Milliseconds until it is ended; ${DEFAULT_TIMEOUT_MS} if you do not say.`,
    },
    run_in_background: {
      type: "boolean",
      description: "Returns at once, with an id for TaskOutput and TaskStop. It ends with your task at the latest.",
    },
  },
  required: ["command"],
  additionalProperties: false,
};
