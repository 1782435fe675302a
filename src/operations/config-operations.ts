// The settings: looking at them is for everybody, changing them is a person's.
import * as z from "zod";
import { JsonObject } from "../schema/index.ts";
import { defineOperation } from "./operation.ts";

const SettingValue = z.union([z.number(), z.boolean(), z.string(), z.null(), z.array(z.string()), JsonObject]);

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
  value: SettingValue,
  /** Whose file is written. A project's may only tighten. */
  scope: z.enum(["user", "project"]).default("user"),
});

export const listConfig = defineOperation({
  authority: "agent",
  summary: "List the settings: what holds, and where each comes from.",
  input: z.strictObject({}),
  output: z.strictObject({ settings: z.array(Setting), warnings: z.array(z.string()) }),
  async run({ config }) {
    const { settings, warnings } = await config.list();
    return { settings: [...settings], warnings: [...warnings] };
  },
});

export const getConfig = defineOperation({
  authority: "agent",
  summary: "Show one setting.",
  input: z.strictObject({ key: z.string().min(1) }),
  output: Setting,
  run: ({ config }, { key }) => config.get(key),
});

export const setConfig = defineOperation({
  authority: "person",
  summary: "Change one setting, in the user's own file or in the project's.",
  input: Change,
  output: z.strictObject({ file: z.string(), setting: Setting }),
  async run({ config }, change) {
    const { file } = await config.set(change);
    return { file, setting: await config.get(change.key) };
  },
});
