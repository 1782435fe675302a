// What the user's own config says about models. Strict, because a person writes it. A project's files are never a
// source of it: whoever names an endpoint gets the keys.
import * as z from "zod";
import { invalidInput } from "../errors/index.ts";

const Usd = z.number().nonnegative().max(1_000_000);
const Tokens = z.int().positive().max(100_000_000);

/** USD per million tokens. What is left out costs as much as other input. */
const ModelPrice = z.strictObject({
  input: Usd,
  output: Usd,
  cache_read: Usd.optional(),
  cache_write: Usd.optional(),
});
export type ModelPrice = z.infer<typeof ModelPrice>;

const ModelLimits = z.strictObject({ context_tokens: Tokens.optional(), max_output_tokens: Tokens.optional() });
export type ModelLimits = z.infer<typeof ModelLimits>;

/** An endpoint that speaks OpenAI's Chat Completions. */
const DeclaredProvider = z.strictObject({
  base_url: z.string().min(1),
  /** The name of the variable that holds its key. None: it needs no key. */
  key: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "this is the name of a variable, not the key itself")
    .optional(),
});

const byName = <T extends z.ZodType>(value: T) => z.record(z.string().min(1), value).default({});

const ModelSettings = z.strictObject({
  aliases: byName(z.string().min(1)),
  providers: z
    .record(z.string().regex(/^[a-z][a-z0-9-]{0,31}$/, "names of providers are lower case"), DeclaredProvider)
    .default({}),
  /** By any name of a model. */
  prices: byName(ModelPrice),
  /** By any name of a model. */
  limits: byName(ModelLimits),
});
export type ModelSettings = z.infer<typeof ModelSettings>;
export type ModelSettingsInput = z.input<typeof ModelSettings>;

export function readModelSettings(input: unknown): ModelSettings {
  const read = ModelSettings.safeParse(input);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const where = ["models", ...(issue?.path ?? [])].join(".");
  throw invalidInput(`${where}: ${issue?.message ?? "this cannot be read"}`, {
    hint: "Correct it in your own config file.",
    facts: { setting: where },
  });
}
