// Whom to ask for a search on the web. One interface; each provider is a small adapter of its wire format.
import type { Asked } from "./exchange.ts";

export type SearchKind = "searxng" | "brave" | "tavily";

export interface SearchSettings {
  readonly kind: SearchKind;
  /** Default: the provider's own. SearXNG has none: it is a server of somebody's own. */
  readonly endpoint?: string | undefined;
  /** The variable that holds the key. Default: the provider's usual one. */
  readonly keyVariable?: string | undefined;
}

export interface SearchQuery {
  readonly query: string;
  readonly allowed: readonly string[];
  readonly blocked: readonly string[];
  readonly limit: number;
}

export interface Hit {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
}

export interface SearchProvider {
  readonly endpoint: URL;
  /** The variable that must hold a key; null where none is needed. */
  readonly keyVariable: string | null;
  request(query: SearchQuery, key: string): Omit<Asked, "maxBytes">;
  /** From JSON that another program sent: what does not fit is left out. */
  hits(answer: unknown): Hit[];
}
