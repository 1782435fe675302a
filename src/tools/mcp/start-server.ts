// A server with what an attempt has for it: a login, and a person who can be asked. Loaded when an agent has a server.
import type { Attempt, AttemptScope } from "../../ports/index.ts";
import type { McpServer } from "../../schema/index.ts";
import { withinTime } from "../web/within-time.ts";
import { askPerson } from "./asking/ask-person.ts";
import { connectServer } from "./connect-server.ts";
import type { ConnectedServer } from "./connected-server.ts";
import type { Filled } from "./fill-secrets.ts";
import { attemptLogin } from "./login/attempt-login.ts";
import { authorizationFetch } from "./login/authorization-fetch.ts";
import { keyOf, USER } from "./login/login-file.ts";
import { loginCommand } from "./login/login-needed.ts";
import { ServerFault } from "./message-lines.ts";
import type { McpParts } from "./mcp-tools.ts";

export interface ServerToStart {
  readonly name: string;
  readonly server: McpServer;
  readonly isUsers: boolean;
  readonly reads: readonly string[];
}

export interface StartedServer {
  readonly connected: ConnectedServer;
  /** A text without any secret that the server was given. */
  readonly hide: (text: string) => string;
}

const START_MS = 30_000;
const ANSWER_MS = 8_000;

export async function startServer(
  wanted: ServerToStart,
  { values, hide }: Extract<Filled, { ok: true }>,
  attempt: Attempt,
  scope: AttemptScope,
  parts: McpParts,
): Promise<StartedServer> {
  const { name, server, reads } = wanted;
  const { clock, privateHosts = [], resolve, version, startMs = START_MS } = parts;
  const url = "url" in server ? new URL(server.url) : null;
  const ask = attempt.task.spec.askable === "nobody" ? undefined : askPerson({ server: name, url, scope });
  const wish = { server, reads, values, attempt, privateHosts, resolve, version, clock, ask };
  const connect = (login?: ReturnType<typeof attemptLogin>) =>
    withinTime(clock, startMs, scope.signal, (signal) => connectServer({ ...wish, login, signal }));
  // Whoever has named a token in a header wants that one to be used.
  if (url === null || hasOwnToken(values)) return { connected: await connect(), hide };

  const asked = authorizationFetch({ url, privateHosts, resolve, clock, signal: scope.signal, answerMs: ANSWER_MS });
  const login = attemptLogin({
    key: keyOf(wanted.isUsers ? USER : parts.project, url),
    command: loginCommand(name, wanted.isUsers ? null : attempt.task.spec.definition.name),
    file: parts.logins,
    fetch: asked.fetch,
    clock,
    signal: scope.signal,
  });
  const explained = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw await login.explained(error);
    }
  };
  const end = async () => asked[Symbol.asyncDispose]();
  try {
    const connected = await explained(() => connect(login));
    return {
      connected: {
        tools: connected.tools,
        call: (tool, input, signal) => explained(() => connected.call(tool, input, signal)),
        async [Symbol.asyncDispose]() {
          await connected[Symbol.asyncDispose]();
          await end();
        },
      },
      hide: (text) => hide(login.hide(text)),
    };
  } catch (error) {
    await end();
    throw new ServerFault(login.hide(error instanceof Error ? error.message : String(error)), { cause: error });
  }
}

const hasOwnToken = (headers: Readonly<Record<string, string>>): boolean =>
  Object.keys(headers).some((name) => name.toLowerCase() === "authorization");
