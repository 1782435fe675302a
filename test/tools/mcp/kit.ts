// MCP servers as an attempt has them: real programs in real custody, and an engine's scope that is told what to answer.
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type * as z from "zod";
import { trackedCustody } from "../../../src/custody/index.ts";
import { systemClock } from "../../../src/platform/system-clock.ts";
import type { Answer, McpServers, Policy, UserMcpServers } from "../../../src/schema/index.ts";
import { AgentDefinition, brandId, type Json, UserMcpServers as Users } from "../../../src/schema/index.ts";
import type { Attempt, AttemptScope, Clock, Command, Question, Tool, ToolResult } from "../../../src/ports/index.ts";
import { fakeMint } from "../../../src/testing/index.ts";
import { knownTools } from "../../../src/tools/mcp/known-tools.ts";
import { loginFile } from "../../../src/tools/mcp/login/login-file.ts";
import { mcpTools } from "../../../src/tools/mcp/mcp-tools.ts";
import { openKeep } from "../../custody/kit.ts";
import { samplePolicy, sampleSpec } from "../../domain/samples.ts";

const fixture = (name: string): string => fileURLToPath(new URL(`fixtures/${name}.ts`, import.meta.url));

export const program = (name: "server" | "rude-server" | "asking-server", ...args: readonly string[]) => ({
  command: process.execPath,
  args: [fixture(name), ...args],
});

/** Whose agents they are. */
export const PROJECT = "/a/project";

export interface Wishes {
  readonly users?: z.input<typeof Users>;
  readonly policy?: Partial<Policy>;
  readonly secrets?: Readonly<Record<string, string>>;
  readonly answer?: Answer;
  readonly folder?: string;
  readonly startMs?: number;
  /** Puts something into the workspace before anything is started. */
  readonly lay?: (root: string) => void;
  readonly clock?: Clock;
  readonly privateHosts?: readonly string[];
  readonly resolve?: (host: string) => Promise<readonly { address: string; family: number }[]>;
}

export interface OpenServers {
  readonly tools: readonly Tool[];
  readonly names: readonly string[];
  readonly missing: string | undefined;
  readonly notes: string[];
  readonly asked: Question[];
  readonly started: Command[];
  readonly stop: AbortController;
  readonly root: string;
  readonly close: () => Promise<void>;
  readonly run: (name: string, input?: Json) => Promise<ToolResult>;
}

export function temporary(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "cadre-mcp-client-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export async function openServers(servers: z.input<typeof McpServers>, wishes: Wishes = {}): Promise<OpenServers> {
  const { users = {}, secrets = {}, answer = { verdict: "deny" }, folder = temporary() } = wishes;
  const root = temporary();
  wishes.lay?.(root);
  const [notes, asked, started]: [string[], Question[], Command[]] = [[], [], []];
  const stop = new AbortController();
  const definition = AgentDefinition.parse({ name: "agent", description: "d", mcp_servers: servers });
  const attempt = {
    task: { spec: sampleSpec({ definition, policy: samplePolicy(wishes.policy) }) },
    workspace: { root },
    keep: openKeep(trackedCustody()),
    confinement: {
      wrap(command: Command) {
        started.push(command);
        return command;
      },
    },
  } as unknown as Attempt;
  const scope = {
    signal: stop.signal,
    redact: <T>(value: T) => value,
    append: async (event: { text?: string }) => void notes.push(event.text ?? ""),
    ask: async (question: Question) => {
      asked.push(question);
      return answer;
    },
    together: <T>(strands: readonly (() => Promise<T>)[]) => Promise.all(strands.map((strand) => strand())),
  } as unknown as AttemptScope;
  const set = await mcpTools({
    clock: wishes.clock ?? systemClock,
    mint: fakeMint(),
    credentials: { value: async (name) => secrets[name] },
    mcpServers: Users.parse(users) satisfies UserMcpServers,
    knownTools: knownTools(folder, systemClock),
    logins: loginFile(folder, systemClock),
    project: PROJECT,
    version: "1",
    startMs: wishes.startMs,
    privateHosts: wishes.privateHosts,
    resolve: wishes.resolve,
  })(attempt, scope);
  const close = async () => set[Symbol.asyncDispose]();
  onTestFinished(close);
  return {
    tools: set.tools,
    names: set.tools.map(({ name }) => name),
    missing: set.missing,
    notes,
    asked,
    started,
    stop,
    root,
    close,
    async run(name, input = {}) {
      const tool = set.tools.find((one) => one.name === name);
      if (tool === undefined) throw new Error(`there is no ${name}: ${notes.join("; ")}`);
      const plan = tool.plan(input);
      return plan.ok ? tool.run(input, brandId("call", "1")) : { ok: false, text: `not planned: ${plan.problem}` };
    },
  };
}

/** What the server said, out of its envelope. */
export const said = ({ text }: ToolResult): string =>
  /<cadre:context [^>]+>\n([^]*?)\n?\n<\/cadre:context>$/.exec(text)?.[1] ?? `no envelope: ${text}`;
