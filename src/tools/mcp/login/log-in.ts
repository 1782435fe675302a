// A person logs in at a server: the address is shown, the browser comes back to this machine, the tokens are kept.
import { auth, type AuthProvider, computeScopeUnion, extractWWWAuthenticateParams } from "@modelcontextprotocol/client";
import type { Resolve } from "../../../platform/public-address.ts";
import type { Clock } from "../../../ports/index.ts";
import type { McpServer } from "../../../schema/index.ts";
import { TookTooLong, withinTime } from "../../web/within-time.ts";
import { connectAddress } from "../connect-address.ts";
import { ServerFault } from "../message-lines.ts";
import { authorizationFetch } from "./authorization-fetch.ts";
import { callbackServer } from "./callback-server.ts";
import { type Grant, keyOf, type LoginFile } from "./login-file.ts";
import { type GivenClient, LoginProvider } from "./login-provider.ts";

export interface LoginParts {
  readonly server: Extract<McpServer, { url: string }>;
  /** Its headers, with secrets filled in. */
  readonly values: Readonly<Record<string, string>>;
  readonly owner: string;
  readonly client?: GivenClient | undefined;
  readonly file: LoginFile;
  readonly show: (address: string) => void;
  readonly privateHosts: readonly string[];
  readonly resolve?: Resolve | undefined;
  readonly clock: Clock;
  readonly state: string;
  readonly version: string;
  readonly signal: AbortSignal;
  /** How long a person may take. */
  readonly personMs?: number | undefined;
}

export interface LoggedIn {
  readonly issuer: string;
  /** How many tools the server has now; null where it does not let us in all the same. */
  readonly tools: number | null;
  readonly problem?: string;
}

const PERSON_MS = 5 * 60_000;
const ANSWER_MS = 20_000;

export async function logIn(parts: LoginParts): Promise<LoggedIn> {
  const { clock, signal, personMs = PERSON_MS } = parts;
  try {
    return await withinTime(clock, personMs, signal, (until) => logInUntil({ ...parts, signal: until }));
  } catch (error) {
    if (error instanceof TookTooLong && !signal.aborted)
      throw new ServerFault(`nobody has logged in within ${Math.round(personMs / 1000)} seconds`, { cause: error });
    throw error;
  }
}

async function logInUntil(parts: LoginParts): Promise<LoggedIn> {
  const { server, owner, file, signal, state } = parts;
  const url = new URL(server.url);
  const key = keyOf(owner, url);
  const before = file.grant(key);
  await using back = await callbackServer(state, before === undefined ? null : redirectOf(file, before.issuer));
  await using asked = authorizationFetch({ ...parts, url, answerMs: ANSWER_MS });
  const provider = new LoginProvider({ ...parts, url, key, redirect: back.redirect });
  const begin = async ({ resourceMetadataUrl, scope: challenged }: Challenge): Promise<void> => {
    const scope = computeScopeUnion(challenged, file.missed(key));
    const flow = {
      serverUrl: url,
      fetchFn: asked.fetch,
      ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl }),
      ...(scope === undefined ? {} : { scope }),
    };
    await auth(provider, { ...flow, forceReauthorization: true });
    const { code, iss } = await orAborted(back.answer, signal);
    await auth(provider, { ...flow, authorizationCode: code, ...(iss === undefined ? {} : { iss }) });
  };
  const login: AuthProvider = {
    token: async () => provider.grant?.tokens.access_token,
    async onUnauthorized({ response }) {
      if (provider.grant !== undefined) throw new ServerFault("it does not take the token that it was given");
      await begin(extractWWWAuthenticateParams(response));
    },
  };
  let tools: number | null = null;
  let problem: string | undefined;
  try {
    await using connected = await connectAddress({ ...parts, login, patienceMs: parts.personMs ?? PERSON_MS }, server);
    tools = connected.tools.length;
    // Some want a login for what is called only.
    if (provider.grant === undefined) await begin({});
  } catch (error) {
    // What a person has agreed to by now is kept: whether it is of use shows with the next attempt.
    if (provider.grant === undefined) throw error;
    problem = error instanceof Error ? error.message : String(error);
  }
  const { grant } = provider;
  if (grant === undefined) throw new ServerFault("no token was given");
  return { issuer: grant.issuer, tools, ...(problem === undefined ? {} : { problem: hidden(problem, grant) }) };
}

const hidden = (text: string, { tokens }: Grant): string =>
  [tokens.access_token, tokens.refresh_token ?? tokens.access_token].reduce(
    (shown, token) => shown.replaceAll(token, () => "{{login}}"),
    text,
  );

type Challenge = Partial<ReturnType<typeof extractWWWAuthenticateParams>>;

const redirectOf = (file: LoginFile, issuer: string): string | null => file.client(issuer)?.redirect ?? null;

function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const quit = () => reject(signal.reason);
  if (signal.aborted) quit();
  signal.addEventListener("abort", quit, { once: true });
  return Promise.race([work, promise]).finally(() => signal.removeEventListener("abort", quit));
}
