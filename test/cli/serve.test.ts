// `cadre serve` as a process: where it listens, its token, and its end.
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { describe, expect, onTestFinished, test } from "vitest";
import { agentFile, cadre, place, type Place, start } from "./command-line.ts";

const LIMIT_MS = 60_000;
const FILES = {
  ".cadre/agents/hello.md": agentFile("hello", "  - answer: Hello there."),
  ".cadre/agents/slow.md": agentFile("slow", "  - say: working\n  - pause_ms: 3000\n  - answer: slowly"),
};

async function serving(where: Place, ...args: string[]) {
  const running = start(where, "serve", "--port", "0", ...args);
  const said = Promise.withResolvers<string>();
  void running.done.then(({ stderr }) => said.resolve(stderr));
  await running.until("token (");
  const path = join(where.project, ".cadre", "serve-token");
  const token = existsSync(path) ? readFileSync(path, "utf8").trim() : "";
  return { running, path, token };
}

/** The port is only in what it says: it is asked for by ending it, or read while it runs. */
async function connected(url: string, token: string): Promise<Client> {
  const client = new Client({ name: "test-host", version: "1" });
  onTestFinished(() => client.close());
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  return client;
}

/** Below those that the system gives to whoever asks for any: nobody gets it while it is let go and taken again. */
async function freePort(): Promise<number> {
  const { createServer } = await import("node:net");
  for (let tries = 0; tries < 100; tries++) {
    const port = 20_000 + ((process.pid + 97 * tries) % 10_000);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false)).listen(port, "127.0.0.1", () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise<void>((resolve) => void server.close(() => resolve()));
    return port;
  }
  throw new Error("no port is free");
}

test(
  "serves a host, with a token of its owner's, until it is told to end; tasks go on",
  { timeout: LIMIT_MS },
  async () => {
    const where = await place(FILES);
    const port = await freePort();
    const running = start(where, "serve", "--port", String(port));
    await running.until("token (");
    const path = join(where.project, ".cadre", "serve-token");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(where.project, ".cadre", ".gitignore"), "utf8")).toContain("serve-token");
    const token = readFileSync(path, "utf8").trim();
    const url = `http://127.0.0.1:${port}/mcp`;
    expect((await fetch(url, { method: "POST" })).status).toBe(401);
    expect(await (await fetch(`http://127.0.0.1:${port}/health`)).json()).toEqual({ status: "ok" });

    const client = await connected(url, token);
    const hello = await client.callTool({ name: "task", arguments: { agent_name: "hello", prompt: "x" } });
    expect(hello.structuredContent).toMatchObject({ output: "Hello there." });
    const slow = await client.callTool({
      name: "task",
      arguments: { agent_name: "slow", prompt: "x", background: true },
    });
    running.kill("SIGTERM");
    const { exit, stdout, stderr } = await running.done;
    expect([exit, stdout]).toEqual([0, ""]);
    expect(stderr).toContain(`MCP at ${url}`);
    expect(stderr).toContain(token);
    const { task_id: task } = slow.structuredContent as { task_id: string };
    const output = await cadre(where, "output", task, "--wait");
    expect(output.stdout).toContain("slowly");
  },
);

describe("listens", () => {
  test.each(["0.0.0.0", "192.168.1.1", "::", "example.test"])("not on %s", { timeout: LIMIT_MS }, async (host) => {
    const where = await place({
      ...FILES,
      ".cadre/config.yml": `security:\n  serve_hosts: [${host.includes(":") ? "x" : host}]\n`,
    });
    const { exit, stderr } = await cadre(where, "serve", "--port", "0", "--host", host);
    expect(exit).toBe(2);
    expect(stderr).toContain("security.serve_hosts");
    expect(existsSync(join(where.project, ".cadre", "serve-token"))).toBe(false);
  });

  test("elsewhere where the user's own settings say so", { timeout: LIMIT_MS }, async () => {
    const where = await place(FILES);
    mkdirSync(join(where.userHome, ".cadre"), { recursive: true });
    writeFileSync(join(where.userHome, ".cadre", "config.yml"), "security:\n  serve_hosts: [127.0.0.2]\n");
    const running = start(where, "serve", "--port", "0", "--host", "127.0.0.2");
    await running.until("MCP at http://127.0.0.2:");
    running.kill("SIGTERM");
    expect((await running.done).exit).toBe(0);
  });
});

test("the token can lie elsewhere, and is not one that others read", { timeout: LIMIT_MS }, async () => {
  const where = await place(FILES);
  const file = join(where.userHome, "token");
  const { running, token } = await serving(where, "--token-file", file);
  expect([token, readFileSync(file, "utf8").length > 40]).toEqual(["", true]);
  running.kill("SIGINT");
  await running.done;
  writeFileSync(join(where.project, "open"), "x".repeat(40), { mode: 0o644 });
  const refused = await cadre(where, "serve", "--port", "0", "--token-file", join(where.project, "open"));
  expect(refused).toMatchObject({ exit: 2, stderr: expect.stringContaining("chmod 600") });
});
