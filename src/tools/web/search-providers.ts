import * as z from "zod";
import type { SearchProvider, SearchQuery, SearchSettings } from "./search-provider.ts";
import { readWebUrl } from "./web-url.ts";

type Adapter = Pick<SearchProvider, "request" | "hits"> & {
  readonly endpoint: string | null;
  readonly keyVariable: string | null;
};

const text = z.string().catch("");
const results = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.array(z.looseObject({ url: text, title: text, ...shape }));

const SearxngAnswer = z.looseObject({ results: results({ content: text }) });
const BraveAnswer = z.looseObject({ web: z.looseObject({ results: results({ description: text }) }) });
const TavilyAnswer = z.looseObject({ results: results({ content: text }) });

/** With the sites in its words, for engines that know no other way to be told. */
const withSites = ({ query, allowed, blocked }: SearchQuery): string =>
  [
    query,
    ...(allowed.length === 0 ? [] : [allowed.map((domain) => `site:${domain}`).join(" OR ")]),
    ...blocked.map((domain) => `-site:${domain}`),
  ].join(" ");

const at = (endpoint: URL, parameters: Readonly<Record<string, string>>): URL => {
  const url = new URL(endpoint);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url;
};

const adapters = (endpoint: URL): Readonly<Record<SearchSettings["kind"], Adapter>> => ({
  searxng: {
    endpoint: null,
    keyVariable: null,
    request: (query) => ({
      method: "GET",
      url: at(endpoint, { q: withSites(query), format: "json" }),
      headers: { accept: "application/json" },
    }),
    hits: (answer) =>
      SearxngAnswer.parse(answer).results.map(({ url, title, content }) => ({ url, title, snippet: content })),
  },
  brave: {
    endpoint: "https://api.search.brave.com/res/v1/web/search",
    keyVariable: "BRAVE_API_KEY",
    request: (query, key) => ({
      method: "GET",
      url: at(endpoint, { q: withSites(query), count: String(query.limit) }),
      headers: { accept: "application/json", "x-subscription-token": key },
    }),
    hits: (answer) =>
      BraveAnswer.parse(answer).web.results.map(({ url, title, description }) => ({
        url,
        title,
        snippet: description,
      })),
  },
  tavily: {
    endpoint: "https://api.tavily.com/search",
    keyVariable: "TAVILY_API_KEY",
    request: ({ query, allowed, blocked, limit }, key) => ({
      method: "POST",
      url: endpoint,
      headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
      body: JSON.stringify({ query, max_results: limit, include_domains: allowed, exclude_domains: blocked }),
    }),
    hits: (answer) =>
      TavilyAnswer.parse(answer).results.map(({ url, title, content }) => ({ url, title, snippet: content })),
  },
});

export type ProviderFound =
  | { readonly ok: true; readonly provider: SearchProvider }
  | { readonly ok: false; readonly problem: string };

const NOWHERE = new URL("https://invalid.invalid/");

export function searchProvider(settings: SearchSettings | undefined): ProviderFound {
  if (settings === undefined) return { ok: false, problem: "no search provider is set up" };
  const { kind } = settings;
  const wished = settings.endpoint ?? adapters(NOWHERE)[kind].endpoint;
  if (wished === null) return { ok: false, problem: `${kind} needs an endpoint: the address of the server's search` };
  const read = readWebUrl(wished);
  if (!read.ok) return { ok: false, problem: `the endpoint of ${kind} is wrong: ${read.problem}` };
  // The address of a SearXNG is that of its front page; its search is below.
  if (kind === "searxng" && !read.url.pathname.endsWith("/search"))
    read.url.pathname = `${read.url.pathname.replace(/\/$/, "")}/search`;
  const adapter = adapters(read.url)[kind];
  const keyVariable = settings.keyVariable ?? adapter.keyVariable;
  return { ok: true, provider: { ...adapter, endpoint: read.url, keyVariable } };
}
