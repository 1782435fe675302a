// Where a browser comes back to after a login: one address on this machine, open for as long as somebody logs in.
import { timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { oneLine } from "../../../domain/summaries.ts";
import { harmless } from "../../envelope.ts";
import { ServerFault } from "../message-lines.ts";

export interface CallbackAnswer {
  readonly code: string;
  /** Who says that they have answered. */
  readonly iss?: string;
}

export interface CallbackServer extends AsyncDisposable {
  readonly redirect: string;
  /** Rejects where the person, or the authorization server, has refused. */
  readonly answer: Promise<CallbackAnswer>;
}

const HOST = "127.0.0.1";
const PATH = "/callback";
const MAX_VISITS = 50;

/** `wish`: the address that was registered before, so that it need not be again; another one where it is taken. */
export async function callbackServer(state: string, wish: string | null): Promise<CallbackServer> {
  const { promise: answer, resolve, reject } = Promise.withResolvers<CallbackAnswer>();
  answer.catch(() => undefined); // it may come before anybody waits for it
  let visits = 0;
  const server = createServer({ maxHeaderSize: 16 * 1024, requestTimeout: 10_000 }, (request, response) => {
    visits++;
    const query = visits > MAX_VISITS ? undefined : queryOf(request, state);
    if (query === undefined) return say(response, 404, "There is nothing here.");
    const [code, error] = [query.get("code"), query.get("error")];
    const iss = query.get("iss");
    if (code !== null && error === null) {
      say(response, 200, "You may close this window and go back to the terminal.");
      resolve({ code, ...(iss === null ? {} : { iss }) });
    } else {
      say(response, 200, "The login was refused. The terminal says more.");
      reject(new ServerFault(`the login was refused: ${oneLine(harmless(error ?? "there is no code"), 100)}`));
    }
  });
  const port = (await listen(server, portOf(wish))) ?? (await listen(server, 0));
  if (port === undefined) throw new ServerFault(`no port of ${HOST} can be listened on`);
  return {
    redirect: `http://${HOST}:${port}${PATH}`,
    answer,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise<void>((done) => server.close(() => done()));
    },
  };
}

const portOf = (wish: string | null): number => Number((wish === null ? null : URL.parse(wish))?.port ?? 0);

function listen(server: Server, port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const failed = () => resolve(undefined);
    server.once("error", failed);
    server.listen(port, HOST, () => {
      server.off("error", failed);
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : undefined);
    });
  });
}

/** Only of whoever was sent there by this very login. */
function queryOf({ method, url = "", headers }: IncomingMessage, state: string): URLSearchParams | undefined {
  const to = URL.parse(url, `http://${HOST}`);
  if (method !== "GET" || to?.pathname !== PATH || headers.host?.startsWith(`${HOST}:`) !== true) return undefined;
  const [given, wanted] = [Buffer.from(to.searchParams.get("state") ?? ""), Buffer.from(state)];
  return given.length === wanted.length && timingSafeEqual(given, wanted) ? to.searchParams : undefined;
}

function say(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    "content-type": "text/plain; charset=utf-8",
    "content-security-policy": "default-src 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    connection: "close",
  });
  response.end(`${text}\n`);
}
