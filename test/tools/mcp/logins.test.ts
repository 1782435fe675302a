import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openCadre } from "../../../src/app/index.ts";
import { systemClock } from "../../../src/platform/system-clock.ts";
import { McpServer } from "../../../src/schema/index.ts";
import { safeAddress } from "../../../src/tools/mcp/login/authorization-fetch.ts";
import { logIn } from "../../../src/tools/mcp/login/log-in.ts";
import { loginFile, USER } from "../../../src/tools/mcp/login/login-file.ts";
import { place } from "../../cli/command-line.ts";
import { openServers, PROJECT, said, temporary } from "./kit.ts";
import { locked } from "./locked-server.ts";

const STATE = "a-state-that-nobody-knows";

/** A person at a browser who agrees. `change`: what comes back otherwise. */
async function browse(address: string, change?: (back: URL) => void): Promise<number> {
  const sent = await fetch(address, { redirect: "manual" });
  const back = new URL(sent.headers.get("location") ?? "");
  change?.(back);
  return (await fetch(back)).status;
}

function login(url: string, folder: string, more: Partial<Parameters<typeof logIn>[0]> = {}) {
  const server = McpServer.parse({ url, headers: { "X-More": "only for the server" } });
  if (!("url" in server)) throw new Error("no address");
  return logIn({
    server,
    values: server.headers,
    owner: USER,
    file: loginFile(folder, systemClock),
    show: (address) => void browse(address).catch(() => undefined),
    privateHosts: [],
    clock: systemClock,
    state: STATE,
    version: "1",
    signal: new AbortController().signal,
    personMs: 20_000,
    ...more,
  });
}

describe("a login", () => {
  it("is a person's, kept for the user alone, and used by attempts, which renew it", async () => {
    const { url, seen, good } = await locked();
    const folder = temporary();
    const web = { web: { url } };
    const users = { users: web, folder };
    const before = await openServers(["web"], users);
    expect(before.notes.join()).toContain("it wants a login. Log in on a terminal: cadre tools login web");
    expect(seen.every(({ what }) => what.endsWith("/mcp"))).toBe(true);

    expect(await login(url, folder)).toEqual({ issuer: new URL(url).origin, tools: 1 });
    const asked = seen.filter(({ what }) => /authorize$|token$/.test(what));
    expect(asked.map(({ form }) => form.get("resource"))).toEqual([url, url]);
    expect(asked[0]?.form.get("code_challenge_method")).toBe("S256");
    // What is meant for the server goes to nobody else.
    expect(seen.filter(({ what, more }) => more !== undefined && !what.endsWith("/mcp"))).toEqual([]);
    expect(statSync(join(folder, "mcp-auth.json")).mode & 0o777).toBe(0o600);

    const { run, notes } = await openServers(["web"], users);
    expect(notes).toEqual([]);
    // The server hands its token back: nobody is shown it.
    expect(said(await run("mcp__web__hello"))).toBe("hello {{login}}");
    good.clear();
    expect((await run("mcp__web__hello")).ok).toBe(true);
    expect(seen.filter(({ form }) => form.get("grant_type") === "refresh_token")).toHaveLength(1);
    expect(readFileSync(join(folder, "mcp-auth.json"), "utf8")).toContain("refresh-2");
  });

  it("of the user's is none for a project that names the same address", async () => {
    const { url } = await locked();
    const folder = temporary();
    await login(url, folder);
    const { notes } = await openServers({ web: { url } }, { folder });
    expect(notes.join()).toContain("cadre tools login web --agent agent");
    await login(url, folder, { owner: PROJECT });
    expect((await openServers({ web: { url } }, { folder })).names).toEqual(["mcp__web__hello"]);
  });

  it("that cannot be renewed says so, and a token in a header is not replaced by one", async () => {
    const { url, good } = await locked();
    const folder = temporary();
    await login(url, folder);
    const file = loginFile(folder, systemClock);
    const grant = file.grant({ owner: USER, resource: url });
    if (grant === undefined) throw new Error("no grant");
    await file.keepGrant({ ...grant, tokens: { ...grant.tokens, refresh_token: "stolen" } });
    good.clear();
    const spent = await openServers(["web"], { users: { web: { url } }, folder });
    expect(spent.notes.join()).toContain("the login could not be renewed (invalid_grant)");
    const own = { url, headers: { Authorization: "Bearer mine" } };
    good.add("mine");
    expect((await openServers(["web"], { users: { web: own }, folder })).names).toEqual(["mcp__web__hello"]);
  });

  it("is not taken from whoever does not know its state, or says to be another issuer", async () => {
    const { url, seen } = await locked();
    let status = 0;
    const show = (address: string) =>
      void browse(address, (back) => back.searchParams.set("state", "guessed")).then(async (got) => {
        status = got;
        await browse(address);
      });
    await login(url, temporary(), { show });
    expect(status).toBe(404);
    expect(seen.filter(({ what }) => what.endsWith("/token"))).toHaveLength(1);

    const other = await locked({ iss: () => "https://evil.example" });
    await expect(login(other.url, temporary())).rejects.toThrow(/issuer/i);
    expect(other.seen.some(({ what }) => what.endsWith("/token"))).toBe(false);
  });

  it.each(["javascript:alert(1)", "file:///etc/passwd", "http://example.com/", "http://169.254.169.254/", "ssh://x"])(
    "shows nobody %s",
    async (address) => {
      const { url } = await locked({ authorize: () => address });
      const shown: string[] = [];
      await expect(login(url, temporary(), { show: (one) => shown.push(one) })).rejects.toThrow(/./);
      expect(shown).toEqual([]);
      expect(() => safeAddress(address, new URL(url))).toThrow("neither https nor this machine");
    },
  );

  it("ends when nobody comes", async () => {
    const { url } = await locked();
    await expect(login(url, temporary(), { show: () => undefined, personMs: 500 })).rejects.toThrow(
      "nobody has logged in within 1 seconds",
    );
  });
});

describe("a person's operations", () => {
  it("log in at a server of their settings and forget it again; others have none", async () => {
    const { url } = await locked();
    const where = await place({});
    mkdirSync(join(where.userHome, ".cadre"), { recursive: true });
    writeFileSync(join(where.userHome, ".cadre/config.yml"), `mcp:\n  servers:\n    web: {url: "${url}"}\n`);
    const options = { cwd: where.project, userHome: where.userHome, env: where.env };
    await using cadre = await openCadre(options);
    const begun = await cadre.call("login.begin", { server: "web" });
    await browse(begun.url);
    expect(await cadre.call("login.finish", { login: begun.login })).toEqual({ issuer: new URL(url).origin, tools: 1 });
    expect(await cadre.call("login.forget", { server: "web" })).toEqual({ forgotten: true });
    expect(await cadre.call("login.forget", { server: "web" })).toEqual({ forgotten: false });
    await expect(cadre.call("login.begin", { server: "gone" })).rejects.toThrow("your settings hold no MCP server");
    await using model = await openCadre({ ...options, isPerson: false, mouth: "mcp" });
    await expect(model.call("login.begin", { server: "web" })).rejects.toMatchObject({ code: "authority.denied" });
  });
});

describe("an address for a login", () => {
  it("on this machine is one only for a server that is there", () => {
    expect(() => safeAddress("http://127.0.0.1:1/", new URL("https://mcp.example.com/"))).toThrow("neither https");
    expect(() => safeAddress("https://me:pw@example.com/", new URL("https://mcp.example.com/"))).toThrow("password");
  });
});
