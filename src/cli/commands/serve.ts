import { join } from "node:path";
import * as z from "zod";
import type { Cadre } from "../../app/index.ts";
import { packageVersion } from "../../app/version.ts";
import { invalidInput } from "../../errors/index.ts";
import { defineCommand } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { wholeNumber } from "../numbers.ts";
import { command as mcp } from "./mcp.ts";

const LOOPBACK = ["127.0.0.1", "::1", "localhost"];

export const command = defineCommand({
  usage: "serve",
  summary: "Serve agents as tools to other programs, by MCP over HTTP on this machine",
  insteadInSandbox: "Run agents with cadre run, or speak MCP with cadre mcp: both work in here.",
  operations: [...mcp.operations, "config.get"],
  options: {
    "--port <n>": "the port; 0 is any that is free (default: 4319)",
    "--host <address>": "the address to listen on; beside loopback only those of security.serve_hosts",
    "--token-file <path>": "where the token is kept that callers need (default: serve-token in the home)",
    "--dialect <name>": "whose names and texts the tools have: cadre, glee, gencode, gemini or yeet",
    "--wait-ms <n>": "how long a call waits for a result at the most (default: as the host bears)",
  },
  examples: [
    "cadre serve",
    'claude mcp add --transport http cadre http://127.0.0.1:4319/mcp --header "Authorization: Bearer $(cat .cadre/serve-token)"',
  ],
  args: z.object({
    port: wholeNumber(0, 65_535).default(4319),
    host: z.string().min(1).default("127.0.0.1"),
    tokenFile: z.string().min(1).optional(),
    dialect: z.enum(["cadre", "glee", "gencode", "gemini", "yeet"]).default("cadre"),
    waitMs: wholeNumber(0, 600_000).optional(),
  }),
  async run({ open, out, signal }, { port, host, tokenFile, dialect, waitMs }) {
    // A model speaks here, whoever sits at the terminal that this process was started from.
    const openAsHost = () => open({ mouth: "mcp", isPerson: false, askable: "inbox" });
    const { home, hosts } = await placeOf(openAsHost);
    if (!hosts.includes(host))
      throw invalidInput(`"${host}" is not on this machine alone`, {
        hint: "If others are to reach it, name it in security.serve_hosts in your own settings.",
      });
    const { accessToken } = await import("../../http/access-token.ts");
    const { doorman } = await import("../../http/doorman.ts");
    const { health } = await import("../../http/health.ts");
    const { serveHttp } = await import("../../http/serve-http.ts");
    const { mcpOverHttp } = await import("../../mcp/mcp-over-http.ts");
    const { openCore } = await import("../../mcp/server-core.ts");
    const path = tokenFile ?? join(home, "serve-token");
    const token = await accessToken(path);
    const log = (line: string) => out.talk(line);
    const core = openCore({ version: packageVersion(), dialect, waitMs, open: openAsHost, log });
    const over = mcpOverHttp(core);
    const listening = await serveHttp({
      host,
      port,
      log,
      doorman: doorman({ hosts, token, open: ["/health"] }),
      routes: { "/mcp": over.fetch, "/health": health },
    });
    const url = `http://${host.includes(":") ? `[${host}]` : host}:${listening.port}/mcp`;
    out.talk(`MCP at ${url}`);
    out.talk(`token (${path}): ${token}`);
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
    await listening.close();
    await over.close();
    return EXIT.ok;
  },
});

/** What has to be known before anything is served. Nothing stays open for it: the first call opens what it needs. */
async function placeOf(open: () => Promise<Cadre>): Promise<{ home: string; hosts: readonly string[] }> {
  await using cadre = await open();
  const { value } = await cadre.call("config.get", { key: "security.serve_hosts" });
  return { home: cadre.home, hosts: [...LOOPBACK, ...(Array.isArray(value) ? value : [])] };
}
