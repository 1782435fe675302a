// Hosts and ports as programs and rules write them.

const MAX_LENGTH = 255;
const WITH_PORT = /^(?<host>\[[^\]]*\]|[^:]*):(?<port>\d{1,5})$/;

/**
 * One spelling for each host: lower case, without a dot at its end, an IPv4 address in four numbers however it was
 * written, an IPv6 address in its shortest form and without brackets. `undefined`: this is no host.
 */
export function canonicalHost(text: string): string | undefined {
  if (text === "" || text.length > MAX_LENGTH || !/^[^\s/?#@\\]+$/.test(text)) return undefined;
  const bare = text.replace(/^\[(.*)\]$/, "$1");
  const url = URL.parse(`http://${bare.includes(":") ? `[${bare}]` : bare}/`);
  if (url === null || url.port !== "" || url.pathname !== "/") return undefined;
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
  return host === "" || host.endsWith(".") ? undefined : host;
}

/** `host:port`, both given. */
export function readAuthority(text: string): { readonly host: string; readonly port: number } | undefined {
  const groups = WITH_PORT.exec(text)?.groups;
  const host = canonicalHost(groups?.["host"] ?? "");
  const port = Number(groups?.["port"]);
  return host === undefined || !(port >= 1 && port <= 65_535) ? undefined : { host, port };
}

/** A rule: a host, perhaps with a port. An IPv6 address with a port has brackets. */
export function splitHost(rule: string): { readonly host: string; readonly port: number | undefined } {
  const groups = WITH_PORT.exec(rule)?.groups;
  const host = (groups?.["host"] ?? rule).replace(/^\[(.*)\]$/, "$1");
  return { host, port: groups === undefined ? undefined : Number(groups["port"]) };
}
