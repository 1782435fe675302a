import { join } from "node:path";
import type { Attempt } from "../../ports/index.ts";
import type { Cli } from "./cli.ts";
import type { CliOptions } from "./cli-options.ts";
import type { CliFinder } from "./find-cli.ts";

/** Its key, and what else of the user's it may have. */
export function variablesFor(cli: Cli, finder: CliFinder, { env }: CliOptions): Record<string, string> {
  const names = [...(finder.key === undefined ? [] : [finder.key]), ...cli.variables];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = Object.hasOwn(env, name) ? env[name] : undefined;
      return value === undefined || value === "" ? [] : [[name, value] as const];
    }),
  );
}

/** The whole of it, beside its variables: nothing else of ours reaches the program. */
export const plainEnvironment = (
  { task, token }: Attempt,
  { env, home }: CliOptions,
  privateHome: string,
): Record<string, string> => ({
  PATH: env["PATH"] ?? "/usr/local/bin:/usr/bin:/bin",
  LANG: env["LANG"] ?? "C.UTF-8",
  TERM: "dumb",
  NO_COLOR: "1",
  HOME: privateHome,
  TMPDIR: join(privateHome, "tmp"),
  CADRE_TASK: task.id,
  CADRE_ATTEMPT: task.id,
  CADRE_TOKEN: token,
  CADRE_HOME: home,
});
