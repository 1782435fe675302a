// The settings: looking at them is for everybody, changing them is a person's.
import * as z from "zod";
import { invalidInput } from "../errors/index.ts";
import { defineOperation, type OperationContext } from "./operation.ts";

const SettingValue = z.union([z.number(), z.boolean(), z.array(z.string())]);

const Setting = z.strictObject({
  key: z.string(),
  value: SettingValue,
  source: z.enum(["default", "project", "user", "environment"]),
  /** `file:line:column`, or the name of a variable. */
  where: z.string().nullable(),
  /** What holds while nobody says anything. */
  fallback: SettingValue,
  summary: z.string(),
});

const Change = z.strictObject({
  key: z.string().min(1),
  /** As itself, or as the text that somebody typed. */
  value: z.union([SettingValue, z.string()]),
  /** Whose file is written. A project's may only tighten. */
  scope: z.enum(["user", "project"]).default("user"),
});

/**
 * Layered settings, from files and the environment.
 *
 * - Each call MUST read anew: files change.
 * - `set` MUST refuse what the layers would ignore afterwards, and keep whatever else the file holds.
 */
export interface Configuration {
  list(): Promise<{ settings: z.input<typeof Setting>[]; warnings: string[] }>;
  get(key: string): Promise<z.input<typeof Setting>>;
  set(change: z.output<typeof Change>): Promise<{ file: string }>;
}

/** A context that has settings. A library may be opened without any. */
export interface ConfiguredContext extends OperationContext {
  readonly config: Configuration;
}

const isConfigured = (context: OperationContext): context is ConfiguredContext => "config" in context;

function configurationOf(context: OperationContext): Configuration {
  if (isConfigured(context)) return context.config;
  throw invalidInput("this Cadre was opened without configuration files");
}

export const listConfig = defineOperation({
  authority: "agent",
  summary: "List the settings: what holds, and where each comes from.",
  input: z.strictObject({}),
  output: z.strictObject({ settings: z.array(Setting), warnings: z.array(z.string()) }),
  run: (context) => configurationOf(context).list(),
});

export const getConfig = defineOperation({
  authority: "agent",
  summary: "Show one setting.",
  input: z.strictObject({ key: z.string().min(1) }),
  output: Setting,
  run: (context, { key }) => configurationOf(context).get(key),
});

export const setConfig = defineOperation({
  authority: "person",
  summary: "Change one setting, in the user's own file or in the project's.",
  input: Change,
  output: z.strictObject({ file: z.string(), setting: Setting }),
  async run(context, change) {
    const config = configurationOf(context);
    const { file } = await config.set(change);
    return { file, setting: await config.get(change.key) };
  },
});
