// Both sides of the wire against the protocol's own schema, and our client against an agent that is not ours.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../custody/kit.ts";
import type { Definition } from "../../engine/kit.ts";
import { FREE, withPeer } from "./kit.ts";
import type { Step } from "./stub-agent.ts";

interface Schema {
  readonly $defs: Readonly<Record<string, { readonly "x-method"?: string }>>;
}
const schema = JSON.parse(
  readFileSync(createRequire(import.meta.url).resolve("@agentclientprotocol/sdk/schema/v1/schema.json"), "utf8"),
) as Schema;
const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema(schema, "acp");

/** What is wrong with a value that is to be the request, response or notification of a method. */
function wrong(method: string, part: "Request" | "Response" | "Notification", value: unknown): string | undefined {
  const names = Object.keys(schema.$defs).filter(
    (name) => name.endsWith(part) && schema.$defs[name]?.["x-method"] === method,
  );
  if (names.length !== 1) return `${method}: ${names.length} schemas for its ${part}`;
  const validate = ajv.getSchema(`acp#/$defs/${names[0]}`);
  if (validate === undefined) return `${method}: no schema`;
  return validate(value) === true
    ? undefined
    : `${method} ${part}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(value)}`;
}

interface Wire {
  readonly from: "client" | "agent";
  readonly line: string;
}
interface Message {
  readonly jsonrpc: string;
  readonly id?: number;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { code: number; message: string };
}

/** One message per violation, and how many messages were looked at. */
function violations(record: string): { problems: string[]; methods: string[] } {
  const asked = { client: new Map<number, string>(), agent: new Map<number, string>() };
  const problems: (string | undefined)[] = [];
  const methods: string[] = [];
  for (const text of readFileSync(record, "utf8").trim().split("\n")) {
    const { from, line } = JSON.parse(text) as Wire;
    const { id, method, params, result, error, jsonrpc } = JSON.parse(line) as Message;
    if (jsonrpc !== "2.0") problems.push(`no JSON-RPC: ${line}`);
    if (method !== undefined) {
      methods.push(method);
      problems.push(wrong(method, id === undefined ? "Notification" : "Request", params));
      if (id !== undefined) asked[from].set(id, method);
    } else if (error === undefined) {
      const of = asked[from === "client" ? "agent" : "client"].get(id ?? -1) ?? "nothing";
      problems.push(wrong(of, "Response", result));
    }
  }
  return { problems: problems.filter((problem) => problem !== undefined), methods: [...new Set(methods)] };
}

describe("the wire", () => {
  it("is what the protocol's schema says, both ways, through everything that a peer can ask", async () => {
    const project = temporaryFolder();
    const record = join(project, "wire.jsonl");
    const path = join(project, "a.txt");
    const terminal = (name: string): Step => ({ call: `terminal/${name}`, params: { terminalId: "$t" } });
    const steps: Step[] = [
      { think: "hm" },
      { call: "fs/write_text_file", params: { path, content: "x\ny\n" } },
      { call: "fs/read_text_file", params: { path, line: 1, limit: 1 } },
      { call: "fs/read_text_file", params: { path: "/etc/passwd" } },
      { call: "terminal/create", params: { command: "echo", args: ["hi"], outputByteLimit: 100 }, keep: "t" },
      terminal("wait_for_exit"),
      terminal("output"),
      terminal("kill"),
      terminal("release"),
      { ask: { toolCallId: "1", title: "Edit", kind: "edit", locations: [{ path }] } },
      { ask: { toolCallId: "2", title: "Edit", kind: "edit", locations: [{ path: "/etc/x" }] } },
      { update: { sessionUpdate: "plan", entries: [{ content: "one", priority: "high", status: "pending" }] } },
      { update: { sessionUpdate: "usage_update", used: 10, size: 100, cost: { amount: 0.5, currency: "USD" } } },
      { update: { sessionUpdate: "notice", severity: "warning", title: "Careful" } },
      { say: "done" },
    ];
    const agent: Partial<Definition> = { ...FREE, tools: { mode: "denylist", deny: ["HttpRequest"] } };
    await using world = await withPeer({ prompts: [steps], record }, { project, agent });
    const first = await world.engine.run({ agent: "peer" });
    expect(first.outcome).toMatchObject({ status: "completed", answer: "done" });
    await world.engine.run({ agent: "peer", session: first.spec.session });
    const { problems, methods } = violations(record);
    expect(problems).toEqual([]);
    expect(methods).toEqual(
      expect.arrayContaining([
        "initialize",
        "session/new",
        "session/load",
        "session/set_mode",
        "session/prompt",
        "terminal/release",
      ]),
    );
  });
});

describe("an agent that is made with the protocol's own library", () => {
  it("works with us: updates, a permission, a file, and a second prompt", async () => {
    const project = temporaryFolder();
    const program = fileURLToPath(new URL("fixtures/sdk-agent.ts", import.meta.url));
    const agent = { ...FREE, command: [process.execPath, program] };
    await using world = await withPeer({}, { project, agent });
    const task = await world.engine.run({ agent: "peer", prompt: "hello" });
    expect(task.outcome).toMatchObject({ status: "completed", answer: "allowed: yes; file: written by the agent" });
  });
});
