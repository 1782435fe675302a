import { secretsOf } from "../../domain/mcp-servers.ts";
import type { Credentials } from "../../ports/index.ts";
import { type McpServer, SECRET_PLACE } from "../../schema/mcp-server.ts";

export type Filled =
  | {
      readonly ok: true;
      readonly values: Readonly<Record<string, string>>;
      /** A text without them, should the server hand one back. */
      readonly hide: (text: string) => string;
    }
  | { readonly ok: false; readonly problem: string };

/**
 * Its variables or headers with the secrets in them, right before they are used and nowhere kept. `allowed`: the
 * variables that the policy lets through; null for a server of the user's own, which may have what it names.
 */
export async function fillSecrets(
  server: McpServer,
  credentials: Pick<Credentials, "value">,
  allowed: readonly string[] | null,
): Promise<Filled> {
  const secrets = new Map<string, string>();
  for (const name of secretsOf(server)) {
    if (allowed !== null && !allowed.includes(name))
      return { ok: false, problem: `it needs the variable ${name}, which the policy does not allow (env.allow)` };
    const value = await credentials.value(name);
    if (value === undefined || value === "")
      return { ok: false, problem: `it needs the variable ${name}, which is not set` };
    secrets.set(name, value);
  }
  const given = "command" in server ? server.env : server.headers;
  const filled = Object.entries(given).map(([key, value]) => [
    key,
    value.replaceAll(SECRET_PLACE, (_, name: string) => secrets.get(name) ?? ""),
  ]);
  const hide = (text: string) =>
    [...secrets].reduce((shown, [name, value]) => shown.replaceAll(value, () => `{{secret:${name}}}`), text);
  return { ok: true, values: Object.fromEntries(filled), hide };
}
