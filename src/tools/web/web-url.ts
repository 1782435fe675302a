// Addresses as a model gives them.
import { coversHost } from "../../domain/policy.ts";

export type WebUrl = { readonly ok: true; readonly url: URL } | { readonly ok: false; readonly problem: string };

const MAX_LENGTH = 4000;

/** Only http and https, without a name and password in it, and with the host as policies write it. */
export function readWebUrl(text: string): WebUrl {
  if (text.length > MAX_LENGTH) return refuse(`the URL has ${text.length} characters; at most ${MAX_LENGTH} are taken`);
  const url = URL.parse(text.trim());
  if (url === null) return refuse(`${shown(text)} is not a URL: give a whole one, such as https://example.com/page`);
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return refuse(`${url.protocol} is not supported: only http and https are`);
  if (url.username !== "" || url.password !== "")
    return refuse("the URL holds a user name or a password: leave them out");
  // "example.com." is the same host as "example.com", and no rule would know it.
  if (/[^.]\.$/.test(url.hostname)) url.hostname = url.hostname.slice(0, -1);
  if (url.hostname === "" || url.hostname.endsWith(".")) return refuse(`${shown(text)} names no host`);
  return { ok: true, url };
}

/** Whatever goes unencrypted is read and changed by whoever sits on the way: only to hosts that the user has named. */
export const plainlySent = (url: URL, privateHosts: readonly string[]): string | undefined =>
  url.protocol === "https:" || privateHosts.some((rule) => coversHost(rule, hostOf(url)))
    ? undefined
    : `http is not encrypted, and ${hostOf(url)} is no host of the user's own (security.private_hosts): use https`;

/** As rules and settings name it: without a port, and an IPv6 address without its brackets. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, "$1");

export const portOf = ({ port, protocol }: URL): number =>
  port === "" ? USUAL[protocol === "https:" ? 1 : 0] : Number(port);

const USUAL = [80, 443] as const;

const refuse = (problem: string): WebUrl => ({ ok: false, problem });

const shown = (text: string): string => JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text);
