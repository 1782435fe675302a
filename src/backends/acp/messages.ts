// The protocol's messages, as far as they are read. Lenient where a peer may know more than we do: what is unknown is
// dropped, and what is malformed and not needed is as if it were not there.
import * as z from "zod";

const text = (max: number) => z.string().transform((whole) => whole.slice(0, max));
/** Absent, `null` and malformed are the same to us. */
const maybe = <T extends z.ZodType>(schema: T) =>
  schema
    .nullish()
    .transform((value) => value ?? undefined)
    .catch(undefined);
/** Entries that are not what they should be are left out. */
const list = <T extends z.ZodType>(entry: T, max: number) =>
  z.array(z.unknown()).transform((all) =>
    all.slice(0, max).flatMap((one) => {
      const read = entry.safeParse(one);
      return read.success ? [read.data] : [];
    }),
  );

const Id = z.string().min(1).max(1_000);
const Words = text(2_000);

export const Initialized = z.object({
  protocolVersion: z.number(),
  agentCapabilities: maybe(
    z.object({
      loadSession: maybe(z.boolean()),
      mcpCapabilities: maybe(z.object({ http: maybe(z.boolean()) })),
      sessionCapabilities: maybe(z.object({ resume: maybe(z.unknown()), close: maybe(z.unknown()) })),
    }),
  ),
  authMethods: maybe(list(z.object({ id: Id, name: maybe(Words) }), 20)),
  agentInfo: maybe(z.object({ name: maybe(Words), title: maybe(Words), version: maybe(Words) })),
});
export type Initialized = z.infer<typeof Initialized>;

const Choice = z.object({ value: Id, name: maybe(Words) });
const Choices = list(z.union([Choice, z.object({ options: list(Choice, 500) })]), 500).transform((all) =>
  all.flatMap((one) => ("options" in one ? one.options : [one])),
);
const ConfigOption = z.object({
  id: Id,
  type: z.literal("select"),
  category: maybe(z.string()),
  currentValue: Id,
  options: Choices,
});
const Modes = z.object({ currentModeId: Id, availableModes: list(z.object({ id: Id }), 100) });
const Models = z.object({ currentModelId: Id, availableModels: list(z.object({ modelId: Id }), 1_000) });

/** What is said of a session when it is opened. `models` is how some say it that came before config options. */
export const SessionFacts = z.object({
  modes: maybe(Modes),
  models: maybe(Models),
  configOptions: maybe(list(ConfigOption, 100)),
});
export type SessionFacts = z.infer<typeof SessionFacts>;
export const NewSession = z.object({ sessionId: Id });

export const Prompted = z.object({
  stopReason: z.string().max(100),
  /** Not in the stable schema; those who know it say it. */
  usage: maybe(z.object({ totalTokens: z.int().nonnegative() })),
});

const Content = z.union([
  z.object({ type: z.literal("content"), content: z.object({ type: z.literal("text"), text: z.string() }) }),
  z.object({ type: z.literal("diff"), path: z.string(), oldText: z.string().nullish(), newText: z.string() }),
]);

export const ToolCallFacts = z.object({
  toolCallId: Id,
  title: maybe(Words),
  name: maybe(text(200)),
  /** Where some have the tool's name beside a title that is made for people. */
  _meta: maybe(z.object({ toolName: maybe(text(200)) })),
  kind: maybe(z.string().max(100)),
  status: maybe(z.string().max(100)),
  content: maybe(list(Content, 200)),
  locations: maybe(list(z.object({ path: z.string() }), 200)),
  rawInput: z.unknown().optional(),
  rawOutput: z.unknown().optional(),
});
export type ToolCallFacts = z.infer<typeof ToolCallFacts>;

const Tokens = z.object({ totalTokens: z.int().nonnegative() });

const Chunk = {
  content: z.object({ type: z.string(), text: maybe(z.string()) }),
  messageId: maybe(Id),
  /** One says here what each call of its model took, and nowhere else. */
  _meta: maybe(z.object({ usage: maybe(Tokens) })),
};

export const Update = z.discriminatedUnion("sessionUpdate", [
  z.object({ sessionUpdate: z.literal("agent_message_chunk"), ...Chunk }),
  z.object({ sessionUpdate: z.literal("agent_thought_chunk"), ...Chunk }),
  z.object({ sessionUpdate: z.literal("tool_call"), ...ToolCallFacts.shape }),
  z.object({ sessionUpdate: z.literal("tool_call_update"), ...ToolCallFacts.shape }),
  z.object({
    sessionUpdate: z.literal("plan"),
    entries: list(z.object({ content: Words, status: z.string().max(100) }), 100),
  }),
  z.object({
    sessionUpdate: z.literal("usage_update"),
    cost: maybe(z.object({ amount: z.number().nonnegative().max(1e9), currency: z.string() })),
  }),
  z.object({ sessionUpdate: z.literal("current_mode_update"), currentModeId: Id }),
  z.object({ sessionUpdate: z.literal("config_option_update"), configOptions: list(ConfigOption, 100) }),
  z.object({
    sessionUpdate: z.literal("notice"),
    severity: maybe(z.string()),
    title: Words,
    description: maybe(Words),
  }),
]);
export type Update = z.infer<typeof Update>;

export const SessionUpdate = z.object({ sessionId: Id, update: z.unknown() });

/** Every request that a peer makes of us is about a session. */
export const OfSession = z.object({ sessionId: Id });
export const PermissionWish = z.object({
  toolCall: ToolCallFacts,
  options: list(z.object({ optionId: Id, kind: z.string().max(100) }), 50),
});
const Count = maybe(z.int().nonnegative());
export const ReadWish = z.object({ path: z.string(), line: Count, limit: Count });
export const WriteWish = z.object({ path: z.string(), content: z.string() });
export const TerminalWish = z.object({
  command: z.string().min(1).max(200_000),
  args: z
    .array(z.string().max(200_000))
    .max(2_000)
    .nullish()
    .transform((args) => args ?? []),
  env: z
    .array(z.object({ name: z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), value: z.string().max(100_000) }))
    .max(200)
    .nullish()
    .transform((env) => env ?? []),
  cwd: z
    .string()
    .nullish()
    .transform((cwd) => cwd ?? undefined),
  outputByteLimit: Count,
});
export type TerminalWish = z.infer<typeof TerminalWish>;
export const OfTerminal = z.object({ terminalId: Id });
