import { admissionRefused, invalidInput } from "../errors/index.ts";
import type { ModelRef } from "./catalog.ts";
import type { Provider, Wire } from "./providers.ts";

/** The user's variables. They come in as an argument: nothing here looks at the process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Where a provider is reached and with what. Its key MUST NOT appear in anything that is shown or stored. */
export interface Endpoint {
  readonly baseUrl: string;
  /** The variable that the key came from, and the key; `undefined` where none is needed. */
  readonly key: { readonly variable: string; readonly value: string } | undefined;
}

/** Which of a provider's keys are set. */
export const keysSet = (provider: Provider, env: Environment): string[] =>
  provider.keys.filter((variable) => valueOf(env, variable) !== undefined);

/** What an endpoint is made of, as the variables have it. They may be those of the process, and change. */
export interface Given {
  readonly key: Endpoint["key"];
  readonly baseUrl: string | undefined;
}

export function givenFor(provider: Provider, env: Environment): Given {
  const { baseUrlVariable } = provider;
  const [variable] = keysSet(provider, env);
  const value = variable === undefined ? undefined : valueOf(env, variable);
  return {
    key: variable === undefined || value === undefined ? undefined : { variable, value },
    baseUrl: baseUrlVariable === undefined ? undefined : valueOf(env, baseUrlVariable),
  };
}

export const isSame = (one: Given, other: Given): boolean =>
  one.key?.variable === other.key?.variable && one.key?.value === other.key?.value && one.baseUrl === other.baseUrl;

export function endpointOf({ name, provider }: ModelRef, { key, baseUrl }: Given): Endpoint {
  const { keys, wire, baseUrlVariable = "" } = provider;
  if (key === undefined && keys.length > 0) {
    throw admissionRefused("key", `${name} needs a key`, `Set ${keys.join(" or ")} in your environment.`);
  }
  return { baseUrl: baseUrl === undefined ? ownBaseUrl(provider) : normalBaseUrl(baseUrl, wire, baseUrlVariable), key };
}

const valueOf = (env: Environment, variable: string): string | undefined => {
  const value = Object.hasOwn(env, variable) ? env[variable]?.trim() : undefined;
  return value === "" ? undefined : value;
};

/** Where it is reached while no variable points elsewhere. */
export const ownBaseUrl = ({ name, wire, baseUrl }: Provider): string =>
  normalBaseUrl(baseUrl, wire, `models.providers.${name}.base_url`);

const VERSION = /\/v\d+(?:alpha|beta)?\d*$/;

/**
 * With the version at its end, which the SDKs expect and people leave out. Anthropic's and Google's own tools add it
 * to whatever they are given; OpenAI's add nothing, so there only a bare host gets it.
 */
export function normalBaseUrl(text: string, wire: Wire, source: string): string {
  const url = URL.parse(text);
  if (url === null || !["http:", "https:"].includes(url.protocol)) {
    throw invalidInput(`${source} is not the address of an endpoint`, {
      hint: "Write it as https://host/path or http://localhost:8080.",
      facts: { source },
    });
  }
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    throw invalidInput(`${source} holds more than a host and a path`, {
      hint: "Leave out user, password, query and fragment; the key is a variable of its own.",
      facts: { source },
    });
  }
  const path = url.pathname.replace(/\/+$/, "");
  const isBare = path === "";
  const adds = wire === "anthropic" || wire === "google" ? !VERSION.test(path) : isBare;
  const version = wire === "google" ? "/v1beta" : "/v1";
  return `${url.origin}${path}${adds ? version : ""}`;
}
