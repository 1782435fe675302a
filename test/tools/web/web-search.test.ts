import { describe, expect, test } from "vitest";
import type { SearchSettings } from "../../../src/tools/web/search-provider.ts";
import { framed, openWeb, serve, type TestServer } from "./kit.ts";

const HITS = [
  { title: "A &amp; B", url: "https://a.example/1", content: "about <strong>a</strong>" },
  { title: "Sub", url: "https://docs.a.example/2", content: "below" },
  { title: "C", url: "https://notatall.example/", content: "other" },
  { title: "Bad", url: "javascript:alert(1)", content: "" },
  { title: 7, url: null },
];

interface Provider extends TestServer {
  readonly bodies: string[];
}

async function provider(answer: unknown, status = 200): Promise<Provider> {
  const bodies: string[] = [];
  const server = await serve((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (chunk: string) => (body += chunk));
    request.on("end", () => {
      bodies.push(body);
      response.writeHead(status, { "content-type": "application/json" });
      response.end(typeof answer === "string" ? answer : JSON.stringify(answer));
    });
  });
  return { ...server, bodies };
}

/** Without any private host: that the user has named the provider is enough. */
const withSearch = (search: SearchSettings, key: string | undefined = "k3y") =>
  openWeb({ privateHosts: [], search, credentials: { value: async () => key } });

describe("WebSearch", () => {
  test("asks a SearXNG server, and says the results in an envelope", async () => {
    const { origin, asked } = await provider({ results: HITS });
    const web = await withSearch({ kind: "searxng", endpoint: origin });
    expect(web.tool("WebSearch").plan({ query: "water" })).toEqual({
      ok: true,
      use: { effect: "net", host: "127.0.0.1" },
    });
    const result = await web.run("WebSearch", { query: "still water & more" });
    expect(asked[0]?.url).toBe("/search?q=still+water+%26+more&format=json");
    expect(result).toMatchObject({ ok: true, text: expect.stringContaining("3 results.") });
    expect(framed(result)).toContain("1. A & B\n   https://a.example/1\n   about a\n\n2. Sub");
  });

  test("asks Brave with its key", async () => {
    const results = HITS.map(({ content, ...rest }) => ({ ...rest, description: content }));
    const { origin, asked } = await provider({ web: { results } });
    const web = await withSearch({ kind: "brave", endpoint: `${origin}/res` });
    expect(framed(await web.run("WebSearch", { query: "water", limit: 2 }))).toMatch(
      /^1\. A & B\n[^]*\n2\. Sub\n[^]*below$/,
    );
    expect(asked[0]?.url).toBe("/res?q=water&count=2");
    expect(asked[0]?.headers["x-subscription-token"]).toBe("k3y");
  });

  test("asks Tavily with its key", async () => {
    const { origin, asked, bodies } = await provider({ results: HITS });
    const web = await withSearch({ kind: "tavily", endpoint: `${origin}/search` });
    await web.run("WebSearch", { query: "water", blocked_domains: ["c.example"], limit: 3 });
    expect(asked[0]).toMatchObject({ method: "POST", headers: { authorization: "Bearer k3y" } });
    expect(JSON.parse(bodies[0] ?? "")).toEqual({
      query: "water",
      max_results: 3,
      include_domains: [],
      exclude_domains: ["c.example"],
    });
  });

  test("keeps to the domains, whatever the provider says", async () => {
    const { origin, asked } = await provider({ results: HITS });
    const web = await withSearch({ kind: "searxng", endpoint: `${origin}/search` });
    const only = framed(await web.run("WebSearch", { query: "water", allowed_domains: ["A.example"] }));
    expect(only.match(/https:\S+/g)).toEqual(["https://a.example/1", "https://docs.a.example/2"]);
    expect(asked[0]?.url).toBe("/search?q=water+site%3AA.example&format=json");
    const without = framed(await web.run("WebSearch", { query: "water", blocked_domains: ["a.example"] }));
    expect(without.match(/https:\S+/g)).toEqual(["https://notatall.example/"]);
  });

  test.each([
    [undefined, undefined, "no search provider is set up"],
    [{ kind: "searxng" } as const, "k", "searxng needs an endpoint"],
    [{ kind: "searxng", endpoint: "nowhere" } as const, "k", "is not a URL"],
    [{ kind: "brave" } as const, undefined, "BRAVE_API_KEY is not set"],
    [{ kind: "tavily", keyVariable: "MINE" } as const, undefined, "MINE is not set"],
  ])("that is set up as %j says what is missing", async (search, key, says) => {
    const web = await openWeb({ search, credentials: { value: async () => key } });
    const result = await web.run("WebSearch", { query: "water" });
    expect(result).toMatchObject({ ok: false, text: expect.stringContaining(says) });
    expect(result.text).toContain("A person sets one up");
  });

  test.each([
    [{ SEARXNG_URL: "https://search.example/x", BRAVE_API_KEY: "k" }, "search.example"],
    [{ BRAVE_API_KEY: "k", TAVILY_API_KEY: "k" }, "api.search.brave.com"],
    [{ TAVILY_API_KEY: "k" }, "api.tavily.com"],
  ])("asks whom %j names", async (env: Record<string, string>, host) => {
    const web = await openWeb({ credentials: { value: async (name) => env[name] } });
    expect(web.tool("WebSearch").plan({ query: "water" })).toEqual({ ok: true, use: { effect: "net", host } });
  });

  test("is no effect where there is nobody to ask", async () => {
    const plan = (await openWeb()).tool("WebSearch").plan({ query: "water" });
    expect(plan).toEqual({ ok: true, use: { effect: "none" } });
  });

  test.each([
    [401, {}, "refuses the search (401)"],
    [429, {}, "too many searches"],
    [500, {}, "answered 500"],
    [302, {}, "answered 302"],
    [200, "<html>", "did not answer with search results"],
    [200, { web: 1 }, "did not answer with search results"],
    [200, { results: [] }, "Nothing was found"],
  ])("that is answered %i %j says so", async (status, answer, says) => {
    const { origin } = await provider(answer, status);
    const result = await (await withSearch({ kind: "searxng", endpoint: origin })).run("WebSearch", { query: "water" });
    expect(result.text).toContain(says);
    expect(result.text).not.toContain("k3y");
  });

  test.each([
    [{ query: "x" }, "query"],
    [{ query: "water", allowed_domains: ["https://a.example"] }, "a domain"],
    [{ query: "water", limit: 100 }, "limit"],
  ])("%j is not planned", async (input, says) => {
    expect((await openWeb()).tool("WebSearch").plan(input)).toMatchObject({
      ok: false,
      problem: expect.stringContaining(says),
    });
  });
});
