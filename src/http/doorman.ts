// Who may come in. A page in somebody's browser can reach a port of this machine too: it sends another name as its
// host, or where it comes from, and it does not know the token.
import { createHash, timingSafeEqual } from "node:crypto";

export interface DoorWishes {
  /** Names and addresses that a request may be for, in lower case and without a port. */
  readonly hosts: readonly string[];
  /** Null: whoever serves has another way to tell who comes. */
  readonly token: string | null;
  /** Paths that need no token: they say nothing. */
  readonly open: readonly string[];
}

/** The refusal, or nothing where the request may go on. */
export type Doorman = (request: Request) => Response | undefined;

export function doorman({ hosts, token, open }: DoorWishes): Doorman {
  const known = new Set(hosts.map(bare));
  const wanted = token === null ? null : digest(token);
  return (request) => {
    const host = request.headers.get("host");
    if (host === null || !known.has(nameIn(`http://${host}`) ?? ""))
      return refusal(403, "this host is not served here");
    const origin = request.headers.get("origin");
    if (origin !== null && !known.has(nameIn(origin) ?? "")) return refusal(403, "this origin is not served here");
    if (wanted === null || open.includes(new URL(request.url).pathname)) return undefined;
    const given = /^Bearer ([\x21-\x7e]+)$/i.exec(request.headers.get("authorization") ?? "")?.[1];
    if (given === undefined) return refusal(401, "a bearer token is needed", 'Bearer realm="cadre"');
    if (timingSafeEqual(digest(given), wanted)) return undefined;
    return refusal(401, "this is not the token", 'Bearer realm="cadre", error="invalid_token"');
  };
}

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

/** Without the brackets around an address of IPv6. */
const bare = (name: string): string => name.toLowerCase().replace(/^\[(.*)\]$/, "$1");

/** Nothing but a scheme, a name and a port: all else is no host and no origin. */
function nameIn(origin: string): string | undefined {
  if (!/^https?:\/\/(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i.test(origin) || !URL.canParse(origin))
    return undefined;
  return bare(new URL(origin).hostname);
}

const refusal = (status: number, message: string, challenge?: string): Response =>
  Response.json(
    { jsonrpc: "2.0", error: { code: -32_600, message }, id: null },
    { status, headers: challenge === undefined ? {} : { "WWW-Authenticate": challenge } },
  );
