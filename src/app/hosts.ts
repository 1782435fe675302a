// Other programs' configuration, wired. Loaded when somebody asks for it: the parsers are large.
import { realpathSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { openHostConfig } from "../hosts/index.ts";
import { findProgram } from "../platform/find-program.ts";
import { packageRoot } from "../platform/package-root.ts";
import type { HostConfig } from "../ports/index.ts";
import type { Place } from "./place.ts";
import { clock } from "./system.ts";

type Env = Readonly<Record<string, string | undefined>>;

export const hostConfigFor = ({ userHome, project }: Place, env: Env): HostConfig =>
  openHostConfig({ userHome, project, env, clock, cadre: ownCommand(env, project, commandFile()) });

const commandFile = (): string =>
  join(packageRoot(), ...(import.meta.url.endsWith(".ts") ? ["src", "cli", "main.ts"] : ["dist", "cli", "main.js"]));

/** `cadre` where that is this installation, for every shell; else this Node and the file of this command line. */
export function ownCommand(env: Env, cwd: string, main: string): [string, ...string[]] {
  const found = findProgram("cadre", { cwd, path: env["PATH"] });
  // What npm puts on the path while it runs a script is not there for others.
  const isForAll = found.ok && !dirname(found.file).endsWith(join(sep, "node_modules", ".bin"));
  return isForAll && realpathSync(found.file) === realpathSync(main) ? ["cadre"] : [process.execPath, main];
}
