import type { ReachableHost } from "../../ports/index.ts";
import type { ModelApi } from "./model-apis.ts";

export type Variables = Readonly<Record<string, string>>;

/** Where it is, by what is set; `undefined` where that is no address. */
export function addressOf({ url, baseUrl }: ModelApi, variables: Variables): URL | undefined {
  const set = baseUrl === undefined ? undefined : variables[baseUrl];
  if (set === undefined) return new URL(url);
  // Some are set without a scheme: "localhost:11434".
  const read = URL.parse(set.includes("://") ? set : `http://${set}`);
  return read !== null && (read.protocol === "http:" || read.protocol === "https:") ? read : undefined;
}

/**
 * What a program has to reach for its models. Of several APIs only those whose key is set; where none is, somebody
 * may be logged in, so it is all of them and their hosts for that.
 */
export function apiHosts(apis: readonly ModelApi[], variables: Variables): ReachableHost[] {
  const keyed = apis.filter(({ keys }) => keys.some((name) => name in variables));
  const used = keyed.length > 0 ? keyed : apis;
  const hosts = used.flatMap((api) => {
    const address = addressOf(api, variables);
    const own = address === undefined ? [] : [{ host: hostIn(address), port: portOf(address) }];
    const others = [...(api.alsoHosts ?? []), ...(keyed.length > 0 ? [] : api.loginHosts)];
    return [...own, ...others.map((host) => ({ host, port: 443 }))];
  });
  return [...new Map(hosts.map((place) => [`${place.host} ${place.port}`, place])).values()];
}

const hostIn = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, "$1");

export const portOf = ({ port, protocol }: URL): number =>
  port === "" ? (protocol === "https:" ? 443 : 80) : Number(port);
