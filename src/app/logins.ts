import { join } from "node:path";
import type { Logins, Registry } from "../ports/index.ts";
import type { UserMcpServers } from "../schema/index.ts";
import { loginFile } from "../tools/mcp/login/login-file.ts";
import { openLogins } from "../tools/mcp/login/logins.ts";
import type { Place } from "./place.ts";
import { clock, mint } from "./system.ts";
import { packageVersion } from "./version.ts";

export interface LoginsWish {
  readonly place: Place;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly registry: Registry;
  readonly mcpServers: UserMcpServers;
  readonly privateHosts: readonly string[];
}

export const loginsFor = ({ place, env, ...rest }: LoginsWish): Logins =>
  openLogins({
    ...rest,
    clock,
    mint,
    credentials: { value: async (name) => env[name] },
    file: loginFile(join(place.userHome, ".cadre"), clock),
    project: place.project,
    version: packageVersion(),
  });
