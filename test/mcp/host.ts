// A host, as the protocol's own client library plays it: against the command in a process of its own, or against the
// server in this process.
import {
  Client,
  type ElicitResult,
  InMemoryTransport,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { type Cadre, openCadre } from "../../src/app/index.ts";
import { doorman } from "../../src/http/doorman.ts";
import { health } from "../../src/http/health.ts";
import { serveHttp } from "../../src/http/serve-http.ts";
import { mcpOverHttp } from "../../src/mcp/mcp-over-http.ts";
import { serveMcp } from "../../src/mcp/serve-mcp.ts";
import { openCore } from "../../src/mcp/server-core.ts";
import type { Dialect } from "../../src/operations/words.ts";
import type { Place } from "../cli/command-line.ts";

export const MAIN = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));
export const ERAS = ["2025", "2026"] as const;
export type Era = (typeof ERAS)[number];

export interface HostWishes {
  readonly era?: Era;
  readonly name?: string;
  /** The Tasks extension is declared. */
  readonly followsTasks?: boolean;
  /** What the host's user says to a form. Without it, the host has none. */
  readonly answer?: (form: Form) => ElicitResult | Promise<ElicitResult>;
}

export interface Form {
  readonly message: string;
  readonly requestedSchema: { readonly properties: Readonly<Record<string, unknown>> };
}

export interface Host {
  readonly client: Client;
  /** A tool's answer, whatever it is. */
  readonly call: (name: string, args?: Record<string, unknown>) => Promise<Answer>;
}

export interface Answer {
  readonly text: string;
  readonly data: Record<string, unknown>;
  readonly isError: boolean;
}

function hostOf({ era = "2025", name = "test-host", followsTasks = false, answer }: HostWishes): Host {
  const client = new Client(
    { name, version: "1.0.0" },
    {
      ...(era === "2026" ? { versionNegotiation: { mode: { pin: "2026-07-28" } } } : {}),
      capabilities: {
        ...(followsTasks ? { extensions: { "io.modelcontextprotocol/tasks": {} } } : {}),
        ...(answer === undefined ? {} : { elicitation: { form: {} } }),
      },
    },
  );
  if (answer !== undefined)
    client.setRequestHandler("elicitation/create", async ({ params }) => answer(params as unknown as Form));
  return {
    client,
    async call(tool, args = {}) {
      const { content, structuredContent, isError } = await client.callTool({ name: tool, arguments: args });
      const [first] = content;
      return {
        text: first?.type === "text" ? first.text : "",
        data: (structuredContent ?? {}) as Record<string, unknown>,
        isError: isError === true,
      };
    },
  };
}

export interface Spawned extends Host {
  readonly pid: number;
  readonly stderr: () => string;
}

/** `cadre mcp`, as a host starts it. */
export async function spawned(where: Place, args: readonly string[] = [], wishes: HostWishes = {}): Promise<Spawned> {
  const host = hostOf(wishes);
  const { project: cwd, env } = where;
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [MAIN, "mcp", ...args],
    cwd,
    env,
    stderr: "pipe",
  });
  let said = "";
  transport.stderr?.on("data", (bytes: Buffer) => (said += bytes.toString()));
  onTestFinished(() => host.client.close());
  await host.client.connect(transport);
  return { ...host, pid: transport.pid ?? 0, stderr: () => said };
}

export interface InProcess extends Host {
  /** The same home, as a person has it. */
  readonly person: Cadre;
  readonly logged: string[];
  /** The operations that were asked for. */
  readonly asked: Set<string>;
}

type ServedWishes = HostWishes & { dialect?: Dialect; waitMs?: number; env?: Record<string, string> };

/** A Cadre for the server, with a worker of this process beside it. */
async function beside(where: Place, wishes: ServedWishes) {
  const { project: cwd, userHome, env } = where;
  const person = await openCadre({ cwd, userHome, env });
  const stop = new AbortController();
  let working: Promise<void> | undefined;
  // It stays: one that leaves when nothing is left could leave just as something comes.
  const work = () => (working ??= person.work({ lingerMs: 3_600_000 }, stop.signal));
  const open = async (): Promise<Cadre> => {
    const options = { mouth: "mcp", isPerson: false, askable: "inbox" } as const;
    const cadre = await openCadre({ cwd, userHome, env: { ...env, ...wishes.env }, ...options });
    return {
      ...cadre,
      call: (name, input) => {
        asked.add(name);
        return cadre.call(name, input);
      },
      start: (request) => {
        asked.add("task.start");
        return cadre.start(request);
      },
      ensureWorker: async () => void work(),
      wakeWorker: async () => undefined,
    };
  };
  const asked = new Set<string>();
  const logged: string[] = [];
  const log = (line: string) => void logged.push(line);
  const { dialect = "cadre", waitMs } = wishes;
  const close = async () => {
    stop.abort();
    await working;
    await person.close();
  };
  return { core: { version: "1.0.0", dialect, waitMs, open, log }, stop, person, logged, asked, close };
}

/** The server in this process, with a worker beside it. */
export async function inProcess(where: Place, wishes: ServedWishes = {}): Promise<InProcess> {
  const host = hostOf(wishes);
  const [ofClient, transport] = InMemoryTransport.createLinkedPair();
  const { core, stop, close, ...rest } = await beside(where, wishes);
  const served = serveMcp({ ...core, signal: stop.signal, transport });
  onTestFinished(async () => {
    await host.client.close();
    stop.abort();
    await served;
    await close();
  });
  await host.client.connect(ofClient);
  return { ...host, ...rest };
}

export const TOKEN = "a-token-that-only-this-test-knows-0123456789";

export interface OverHttp extends InProcess {
  readonly url: string;
  /** Another host of the same server. */
  readonly another: (wishes?: HostWishes) => Promise<Host>;
  readonly stop: () => Promise<void>;
}

/** The same, behind a port of this machine. */
export async function overHttp(where: Place, wishes: ServedWishes = {}): Promise<OverHttp> {
  const { core, close, stop: _, ...rest } = await beside(where, wishes);
  const over = mcpOverHttp(openCore(core));
  const listening = await serveHttp({
    host: "127.0.0.1",
    port: 0,
    log: core.log,
    doorman: doorman({ hosts: ["127.0.0.1", "localhost"], token: TOKEN, open: ["/health"] }),
    routes: { "/mcp": over.fetch, "/health": health },
  });
  const url = `http://127.0.0.1:${listening.port}/mcp`;
  let isStopped = false;
  const stop = async () => {
    if (isStopped) return;
    isStopped = true;
    await listening.close();
    await over.close();
  };
  onTestFinished(async () => {
    await stop();
    await close();
  });
  const another = async (more: HostWishes = {}): Promise<Host> => {
    const host = hostOf(more);
    const requestInit = { headers: { Authorization: `Bearer ${TOKEN}` } };
    onTestFinished(() => host.client.close());
    await host.client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
    return host;
  };
  return { ...(await another(wishes)), ...rest, url, another, stop };
}
