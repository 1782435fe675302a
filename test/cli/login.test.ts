// A login at an MCP server as a person does it: the command in a process, an authorization server, and a browser.
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { locked } from "../tools/mcp/locked-server.ts";
import { agentFile, cadre, place, type Place, start } from "./command-line.ts";

const LIMIT = { timeout: 60_000 };
const AGENT = agentFile(
  "caller",
  "  - { call: mcp__web__hello, input: {} }\n  - answer: called",
  "backend: native\npermission_mode: auto\nmcp_servers: [web]\ntools: [mcp__web__hello]\npolicy: { network: [127.0.0.1] }\n",
);

async function person(
  url: string,
  settings = "security: { person_without_terminal: true, subagent_permissions: { network: [127.0.0.1] } }\n",
): Promise<Place> {
  const where = await place({ ".cadre/agents/caller.md": AGENT });
  mkdirSync(join(where.userHome, ".cadre"), { recursive: true });
  const servers = `mcp:\n  servers:\n    web: { url: ${JSON.stringify(url)} }\n`;
  writeFileSync(join(where.userHome, ".cadre", "config.yml"), `${settings}${servers}`);
  return where;
}

const grants = ({ userHome }: Place): string => join(userHome, ".cadre", "mcp-auth.json");

/** The address that the command has printed. */
async function shownBy(login: ReturnType<typeof start>): Promise<string> {
  await login.until("/authorize?");
  await expect.poll(() => /^http\S+\/authorize\?\S+$/m.exec(login.said())?.[0]).toBeDefined();
  return /^http\S+\/authorize\?\S+$/m.exec(login.said())?.[0] ?? "";
}

describe("cadre tools login", LIMIT, () => {
  test("shows an address, waits for the person, and from then on agents are let in", async () => {
    const { url, seen } = await locked();
    const where = await person(url);
    const before = await cadre(where, "run", "caller", "call it");
    expect(before.stderr).toContain("cadre tools login web");

    const login = start(where, "tools", "login", "web");
    const address = await shownBy(login);
    expect(seen.some(({ what }) => what === "GET /authorize")).toBe(false);
    const page = await fetch(address); // to the authorization server, and back from there to the command
    expect(page.status).toBe(200);
    const { exit, stdout, stderr } = await login.done;
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: `logged in at ${new URL(url).origin}\n` });
    expect(statSync(grants(where)).mode & 0o777).toBe(0o600);
    const kept = readFileSync(grants(where), "utf8");
    expect(kept).toContain("access-1");
    expect(`${stdout}${stderr}${await page.text()}`).not.toMatch(/access-|refresh-|the-code/);

    const after = await cadre(where, "run", "caller", "call it");
    expect(after).toMatchObject({ exit: 0, stdout: "called\n" });
    const events = await cadre(where, "show", "@last", "--events", "100", "--json");
    expect(events.stdout).toContain("hello {{login}}");

    expect(await cadre(where, "tools", "logout", "web")).toMatchObject({ stdout: "the login is forgotten\n" });
    expect(readFileSync(grants(where), "utf8")).not.toContain("access-1");
    expect(await cadre(where, "tools", "logout", "web")).toMatchObject({ stdout: "there was no login\n" });
  });

  test("ends by Ctrl-C, and nothing is kept", async () => {
    const { url, seen } = await locked();
    const where = await person(url);
    const login = start(where, "tools", "login", "web");
    await shownBy(login);
    login.kill("SIGINT");
    expect((await login.done).exit).not.toBe(0);
    expect(seen.some(({ what }) => what === "POST /token")).toBe(false);
    expect(existsSync(grants(where)) && readFileSync(grants(where), "utf8").includes("access-")).toBe(false);
  });

  test("is a person's: without one nobody is asked anything", async () => {
    const { url, seen } = await locked();
    const where = await person(url, "");
    const refused = await cadre(where, "tools", "login", "web");
    expect(refused).toMatchObject({ exit: 4, stderr: expect.stringContaining("person") });
    expect(seen).toEqual([]);
  });

  test("of a server that nobody has heard of says where it is looked for", async () => {
    const where = await person("http://127.0.0.1:9/mcp");
    const unknown = await cadre(where, "tools", "login", "wob");
    expect(unknown.exit).toBe(2);
    expect(unknown.stderr).toContain("wob");
    expect(unknown.stderr).toMatch(/^hint: /m);
  });
});
