import * as z from "zod";
import { invalidInput } from "../../errors/index.ts";
import type { OperationOutput } from "../../operations/index.ts";
import { type CommandContext, defineCommand } from "../command.ts";
import { EXIT, type Exit } from "../exit-codes.ts";
import { safeLine } from "../render/safe-text.ts";
import { table } from "../render/table.ts";

type Setting = OperationOutput<"config.get">;

export const command = defineCommand({
  usage: "config <action> [key] [value]",
  summary: "List the settings, or get or set one",
  operations: ["config.list", "config.get", "config.set"],
  options: { "--project": "set it in the project's file, which may only tighten" },
  examples: [
    "cadre config list",
    "cadre config get subagents.max_concurrent",
    "cadre config set subagents.max_concurrent 4",
    "cadre config set --project security.subagent_permissions.fs.read src,docs",
  ],
  args: z.object({
    action: z.enum(["list", "get", "set"]),
    key: z.string().optional(),
    value: z.string().optional(),
    project: z.boolean().default(false),
  }),
  async run(context, { action, key, value, project }) {
    if (action === "list") return list(context);
    if (action === "get") return get(context, need(key, "a key", "cadre config get <key>"));
    const usage = "cadre config set <key> <value>";
    const change = { key: need(key, "a key", usage), value: need(value, "a value", usage) };
    return set(context, { ...change, scope: project ? "project" : "user" });
  },
});

function need(given: string | undefined, what: string, hint: string): string {
  if (given !== undefined) return given;
  throw invalidInput(`this needs ${what}`, { hint });
}

async function list({ open, out }: CommandContext): Promise<Exit> {
  await using cadre = await open({ onProblem: () => undefined }); // they are listed below
  const { settings, warnings } = await cadre.call("config.list", {});
  out.data({ settings, warnings }, () =>
    table(
      ["SETTING", "VALUE", "FROM"],
      settings.map((setting) => [setting.key, safeLine(written(setting.value)), from(setting)]),
    ),
  );
  for (const warning of warnings) out.talk(out.colors.yellow(safeLine(warning)));
  return EXIT.ok;
}

async function get({ open, out }: CommandContext, key: string): Promise<Exit> {
  await using cadre = await open();
  const setting = await cadre.call("config.get", { key });
  out.data(setting, ({ value }) => safeLine(written(value)));
  return EXIT.ok;
}

interface Change {
  readonly key: string;
  readonly value: string;
  readonly scope: "user" | "project";
}

async function set({ open, out }: CommandContext, change: Change): Promise<Exit> {
  await using cadre = await open();
  const done = await cadre.call("config.set", change);
  out.data(done, ({ file, setting }) => `${setting.key} is ${safeLine(written(setting.value))} (${safeLine(file)})`);
  const { source } = done.setting;
  if (source !== change.scope) out.talk(out.colors.yellow(`It was written, but ${from(done.setting)} outranks it.`));
  return EXIT.ok;
}

/** As `config set` takes it. */
const written = (value: Setting["value"]): string =>
  Array.isArray(value)
    ? value.length === 0
      ? "[]"
      : value.join(",")
    : typeof value === "object"
      ? JSON.stringify(value)
      : String(value);

const from = ({ source, where }: Setting): string => (where === null ? source : `${source}: ${safeLine(where)}`);
