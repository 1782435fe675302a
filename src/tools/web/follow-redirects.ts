import type { Connection } from "./connection.ts";
import type { Answered } from "./exchange.ts";
import { hostOf, portOf, readWebUrl } from "./web-url.ts";

export type Followed =
  | { readonly kind: "answered"; readonly url: URL; readonly answer: Answered }
  /** To a place that the policy has not been asked about. */
  | { readonly kind: "elsewhere"; readonly url: URL }
  | { readonly kind: "refused"; readonly problem: string };

const MAX_HOPS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Only within the host that was permitted, and never from https back to http. */
export async function followRedirects(
  connection: Connection,
  first: URL,
  headers: Readonly<Record<string, string>>,
  maxBytes: number,
): Promise<Followed> {
  let url = first;
  for (let hops = 0; hops <= MAX_HOPS; hops++) {
    const answer = await connection.send({ method: "GET", url, headers, maxBytes });
    const location = answer.headers.get("location");
    if (!REDIRECTS.has(answer.status) || location === undefined) return { kind: "answered", url, answer };
    const next = readWebUrl(URL.parse(location, url.href)?.href ?? location);
    if (!next.ok)
      return { kind: "refused", problem: `${url.href} redirects to what cannot be fetched: ${next.problem}` };
    const isDowngrade = url.protocol === "https:" && next.url.protocol === "http:";
    if (hostOf(next.url) !== hostOf(url) || isOtherDoor(url, next.url) || isDowngrade)
      return { kind: "elsewhere", url: next.url };
    url = next.url;
  }
  return { kind: "refused", problem: `${first.href} redirects more than ${MAX_HOPS} times` };
}

/** Another port may be another server; from 80 to 443 is the same one, kept from listeners. */
function isOtherDoor(from: URL, to: URL): boolean {
  const [before, after] = [portOf(from), portOf(to)];
  return before !== after && !(before === 80 && after === 443);
}
