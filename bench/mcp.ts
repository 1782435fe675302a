// The MCP server beside `@steipete/claude-code-mcp`, which starts a CLI for each call and waits for it. The CLI is a stub
// that answers at once, so what is measured is the server. Needs: npm install --prefix bench/mcp-peer
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openCadre } from "../src/app/index.ts";
import { interleaved, median, type Row, timed } from "./measure.ts";

const PEER = fileURLToPath(new URL("mcp-peer/node_modules/@steipete/claude-code-mcp/dist/server.js", import.meta.url));
const MAIN = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));
const CONNECTS = 10;
const CALLS = 40;
const MANY = 500;
/** What is made ahead for the next call is made in there, and not in the sample of another. */
const PAUSE_MS = 20;

interface Server {
  readonly name: string;
  readonly connect: () => Promise<Connected>;
}

interface Connected extends AsyncDisposable {
  readonly pid: number;
  readonly call: () => Promise<string>;
  readonly folder: string;
}

export async function mcpRows(): Promise<Row[]> {
  if (!existsSync(PEER)) return [missing("npm install --prefix bench/mcp-peer")];
  const servers = [peer(), await ours("off"), await ours("best")];
  return [...(await connects(servers)), ...(await calls(servers)), ...(await many(servers)), ...(await idle(servers))];
}

const missing = (hint: string): Row => ({ what: `MCP: ${hint}`, measured: "-", wanted: "-", holds: undefined });

/** Answers like the CLI that the peer starts, whatever it is asked. */
function stubIn(folder: string): string {
  const path = join(folder, "stub");
  writeFileSync(path, "#!/bin/sh\necho done\n", { mode: 0o755 });
  return path;
}

const freshFolder = (): string => realpathSync(mkdtempSync(join(tmpdir(), "cadre-bench-mcp-")));

function peer(): Server {
  const folder = freshFolder();
  const env = { PATH: process.env["PATH"] ?? "", HOME: folder, CLAUDE_CLI_NAME: stubIn(folder) };
  const wish = { name: "claude_code", arguments: { prompt: "go", workFolder: folder } };
  return { name: "claude-code-mcp", connect: () => connected([PEER], folder, env, wish) };
}

async function ours(confinement: "off" | "best"): Promise<Server> {
  const base = freshFolder();
  const [folder, home] = [join(base, "project"), join(base, "home")];
  mkdirSync(join(folder, ".cadre", "agents"), { recursive: true, mode: 0o700 });
  mkdirSync(join(home, ".cadre"), { recursive: true });
  const settings = `subagents:\n  rate_limit_per_min: 1000000\nsecurity:\n  confinement: ${confinement}\n`;
  writeFileSync(join(home, ".cadre", "config.yml"), settings);
  const agent = `---\nname: stub\ndescription: d\ncommand: [${JSON.stringify(stubIn(folder))}]\n---\n`;
  writeFileSync(join(folder, ".cadre", "agents", "stub.md"), agent);
  const env = { PATH: process.env["PATH"] ?? "", HOME: home };
  await using cadre = await openCadre({ cwd: folder, userHome: home, env });
  await cadre.call("trust.grant", { folder });
  const wish = { name: "task", arguments: { agent_name: "stub", prompt: "go" } };
  return { name: `cadre, confinement ${confinement}`, connect: () => connected([MAIN, "mcp"], folder, env, wish) };
}

async function connected(
  args: readonly string[],
  folder: string,
  env: Record<string, string>,
  wish: { name: string; arguments: Record<string, unknown> },
): Promise<Connected> {
  const client = new Client({ name: "claude-code", version: "1" });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...args],
    cwd: folder,
    env,
    stderr: "ignore",
  });
  await client.connect(transport);
  return {
    pid: transport.pid ?? 0,
    folder,
    async call() {
      const { content, isError } = await client.callTool(wish, { timeout: 300_000 });
      const [first] = content;
      if (isError === true || first?.type !== "text") throw new Error(`a call failed: ${JSON.stringify(content)}`);
      return first.text;
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

const sideBySide = (
  what: string,
  samples: ReadonlyMap<string, readonly number[]>,
  of: (values: readonly number[]) => number,
): Row[] => {
  const [reference = 0] = [...samples.values()].map(of);
  return [...samples].map(([name, values], index) => ({
    what: `MCP ${what}: ${name}`,
    measured: `${of(values).toFixed(1)} ms (${(of(values) / reference).toFixed(2)} times)`,
    // The peer confines nothing, so only the row that does not either has to keep up.
    wanted: index === 1 ? "at most the peer's" : "-",
    holds: index === 1 ? of(values) <= reference : undefined,
  }));
};

async function connects(servers: readonly Server[]): Promise<Row[]> {
  const sides = servers.map(({ name, connect }) => ({
    name,
    sample: async () => {
      const start = performance.now();
      await using _one = await connect();
      return performance.now() - start;
    },
  }));
  return sideBySide("connect, p50", await interleaved(sides, CONNECTS), median);
}

const p95 = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.95) - 1] ?? 0;

async function calls(servers: readonly Server[]): Promise<Row[]> {
  await using stack = new AsyncDisposableStack();
  const sides = [];
  for (const { name, connect } of servers) {
    const one = stack.use(await connect());
    await one.call(); // the first one starts what later ones find there
    sides.push({ name, sample: () => timed(one.call) });
  }
  const samples = await interleaved(sides, CALLS, PAUSE_MS);
  return [...sideBySide("call, p50", samples, median), ...sideBySide("call, p95", samples, p95)];
}

async function many(servers: readonly Server[]): Promise<Row[]> {
  const rows: Row[] = [];
  for (const { name, connect } of servers) {
    await using one = await connect();
    let most = 0;
    const watch = setInterval(() => (most = Math.max(most, stubsOf(one.folder))), 20);
    const start = performance.now();
    const answers = await Promise.allSettled(Array.from({ length: MANY }, one.call));
    clearInterval(watch);
    const lost = answers.filter((answer) => answer.status === "rejected" || !answer.value.includes("done")).length;
    rows.push({
      what: `MCP ${MANY} calls at once: ${name}`,
      measured: `${((performance.now() - start) / 1000).toFixed(1)} s, ${lost} lost, at most ${most} programs`,
      wanted: name.startsWith("cadre") ? "none lost, bounded programs" : "-",
      holds: name.startsWith("cadre") ? lost === 0 && most <= 64 : undefined,
    });
  }
  return rows;
}

/** Processes whose command line has this folder's stub in it. */
function stubsOf(folder: string): number {
  return readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && commandLine(pid).includes(join(folder, "stub")))
    .length;
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return ""; // it has ended
  }
}

async function idle(servers: readonly Server[]): Promise<Row[]> {
  const rows: Row[] = [];
  for (const { name, connect } of servers.slice(0, 2)) {
    await using one = await connect();
    await one.call();
    const kb = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${one.pid}/status`, "utf8"))?.[1] ?? 0);
    rows.push({
      what: `MCP idle memory: ${name}`,
      measured: `${(kb / 1024).toFixed(0)} MB`,
      wanted: "-",
      holds: undefined,
    });
  }
  return rows;
}
