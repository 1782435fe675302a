// An agent that speaks the Agent Client Protocol and does what its script says, well or badly. A program of its own: it is
// started with the script as its only argument. Each prompt takes the next list of steps.
import { appendFileSync, existsSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { callTool, type OwnCall } from "../own-tools/call-tool.ts";

export type Step =
  | { readonly say: string; readonly id?: string }
  | { readonly think: string }
  | { readonly update: object; readonly session?: string }
  | { readonly ask: object; readonly options?: readonly object[]; readonly allowed?: readonly Step[] }
  | { readonly call: string; readonly params: object; readonly keep?: string }
  /** Says what the last call came to. */
  | { readonly tell: "last" | "prompt" | "environment" | "folder" }
  /** Calls a tool of the server that its session was opened with. */
  | { readonly own: OwnCall }
  | { readonly raw: string }
  | { readonly flood: number; readonly update: object }
  | { readonly line: number }
  /** A tool call whose input is lists in lists, so deep. */
  | { readonly nest: number }
  /** A tool call whose input has so many bytes. */
  | { readonly big: number; readonly toolCallId: string }
  | { readonly parallel: number; readonly method: string; readonly params: object }
  | { readonly stop: string; readonly usage?: object }
  | { readonly fail: { readonly code: number; readonly message: string; readonly data?: unknown } }
  | { readonly hang: "until cancelled" | "for ever" }
  /** `once`: only where this file is not there yet; then it is. */
  | { readonly exit: number; readonly once?: string }
  | { readonly answer: number };

export interface Script {
  readonly prompts?: readonly (readonly Step[])[];
  readonly initialize?: object;
  readonly session?: object;
  /** How `session/new` fails until it is logged in. */
  readonly wantsLogin?: string;
  /** Steps before anything was asked. */
  readonly before?: readonly Step[];
  /** Steps after the answer to a prompt. */
  readonly after?: readonly Step[];
  readonly silentAt?: string;
  readonly failAt?: Readonly<Record<string, { code: number; message: string }>>;
  /** Every line, both ways, is added to this file. */
  readonly record?: string;
  readonly ignoresEnd?: boolean;
  readonly replay?: readonly object[];
}

interface Message {
  id?: number | string;
  method?: string;
  params?: Record<string, unknown>;
  result?: unknown;
  error?: unknown;
}

const script = JSON.parse(process.argv[2] ?? "{}") as Script;
const prompts = [...(script.prompts ?? [])];
const waiting = new Map<number, (message: Message) => void>();
let lastId = 1000;
let isLoggedIn = false;
let session = "stub-session-1";
let lastPrompt = "";
let last: unknown = null;
const kept = new Map<string, string>();
const ownServer = { url: "", token: "" };
let onCancel: () => void = () => undefined;
let cancelled = new Promise<void>((resolve) => (onCancel = resolve));

function write(line: string): Promise<void> {
  return new Promise((resolve) => void process.stdout.write(`${line}\n`, () => resolve()));
}

function send(message: object): Promise<void> {
  const line = JSON.stringify({ jsonrpc: "2.0", ...message });
  if (script.record !== undefined) appendFileSync(script.record, `${JSON.stringify({ from: "agent", line })}\n`);
  return write(line);
}

const update = (body: object, of = session) =>
  send({ method: "session/update", params: { sessionId: of, update: body } });

async function call(method: string, params: object): Promise<unknown> {
  const id = ++lastId;
  const reply = new Promise<Message>((resolve) => waiting.set(id, resolve));
  await send({ id, method, params });
  const { result, error } = await reply;
  return error === undefined ? result : { error };
}

const OPTIONS = [
  { optionId: "yes-always", name: "Always", kind: "allow_always" },
  { optionId: "yes", name: "Allow", kind: "allow_once" },
  { optionId: "no", name: "Reject", kind: "reject_once" },
];

/** `$name` in a parameter is what an earlier call kept under that name. */
const filled = (params: object): object =>
  JSON.parse(
    JSON.stringify(params).replaceAll(/"\$(\w+)"/g, (_all, name: string) => JSON.stringify(kept.get(name) ?? "")),
  ) as object;

type Stop = { readonly stopReason: string; readonly usage?: object } | { readonly error: object };

async function play(steps: readonly Step[]): Promise<Stop | undefined> {
  for (const step of steps) {
    if ("say" in step) {
      const messageId = step.id === undefined ? {} : { messageId: step.id };
      await update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: step.say }, ...messageId });
    } else if ("think" in step) {
      await update({ sessionUpdate: "agent_thought_chunk", content: { type: "text", text: step.think } });
    } else if ("flood" in step) {
      for (let count = 0; count < step.flood; count++) {
        const sent = update(numbered(step.update, count));
        if (count % 200 === 0) await sent;
      }
    } else if ("own" in step) last = await callTool(ownServer.url, ownServer.token, step.own);
    else if ("update" in step) await update(step.update, step.session);
    else if ("ask" in step) {
      const { ask: toolCall, options = OPTIONS } = step;
      last = await call("session/request_permission", { sessionId: session, toolCall, options });
      const outcome = (last as { outcome?: { outcome: string; optionId?: string } }).outcome;
      if (outcome?.optionId === "yes" && step.allowed !== undefined) {
        const inner = await play(step.allowed);
        if (inner !== undefined) return inner;
      }
    } else if ("call" in step) {
      last = await call(step.call, { sessionId: session, ...filled(step.params) });
      const id = (last as { terminalId?: string } | null)?.terminalId;
      if (step.keep !== undefined && id !== undefined) kept.set(step.keep, id);
    } else if ("tell" in step) {
      const told = { last, prompt: lastPrompt, environment: process.env, folder: process.cwd() }[step.tell];
      const text = typeof told === "string" ? told : JSON.stringify(told);
      await update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
    } else if ("nest" in step) {
      const input = "[".repeat(step.nest) + "]".repeat(step.nest);
      const body = `{"sessionUpdate":"tool_call","toolCallId":"n","title":"N","status":"completed","rawInput":${input}}`;
      await write(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"${session}","update":${body}}}`);
    } else if ("big" in step) {
      const rawInput = { text: "x".repeat(step.big) };
      await update({ sessionUpdate: "tool_call", toolCallId: step.toolCallId, title: "Big", kind: "edit", rawInput });
    } else if ("raw" in step) await write(step.raw);
    else if ("line" in step) {
      for (let left = step.line; left > 0; left -= 65_536)
        await new Promise<void>(
          (resolve) => void process.stdout.write("x".repeat(Math.min(left, 65_536)), () => resolve()),
        );
    } else if ("parallel" in step) {
      const all = Array.from({ length: step.parallel }, () =>
        call(step.method, { sessionId: session, ...step.params }),
      );
      last = (await Promise.all(all)).map((one) => JSON.stringify(one));
    } else if ("stop" in step)
      return { stopReason: step.stop, ...(step.usage === undefined ? {} : { usage: step.usage }) };
    else if ("fail" in step) return { error: step.fail };
    else if ("hang" in step) {
      if (step.hang === "for ever") await new Promise(() => setInterval(() => undefined, 1_000));
      await cancelled;
      return { stopReason: "cancelled" };
    } else if ("exit" in step) {
      if (step.once === undefined || !existsSync(step.once)) {
        if (step.once !== undefined) writeFileSync(step.once, "");
        process.exit(step.exit);
      }
    } else if ("answer" in step) await send({ id: step.answer, result: { stopReason: "end_turn" } });
  }
  return undefined;
}

const numbered = (body: object, count: number): object =>
  JSON.parse(JSON.stringify(body).replaceAll("%", String(count))) as object;

const answers: Readonly<Record<string, (params: Record<string, unknown>) => Promise<object>>> = {
  initialize: async () => ({
    protocolVersion: 1,
    agentCapabilities: { loadSession: true },
    agentInfo: { name: "stub", version: "1.0.0" },
    authMethods: [{ id: "stub-key", name: "A key" }],
    ...script.initialize,
  }),
  authenticate: async () => {
    isLoggedIn = true;
    return {};
  },
  "session/new": async ({ mcpServers }) => {
    const [server] = mcpServers as { url: string; headers: { value: string }[] }[];
    ownServer.url = server?.url ?? "";
    ownServer.token = server?.headers[0]?.value.replace("Bearer ", "") ?? "";
    if (script.wantsLogin !== undefined && !isLoggedIn)
      throw Object.assign(new Error(script.wantsLogin), { code: -32000 });
    return { sessionId: session, ...(script.session ?? MODES) };
  },
  "session/load": async ({ sessionId }) => {
    session = String(sessionId);
    for (const body of script.replay ?? []) await update(body);
    return { ...(script.session ?? MODES) };
  },
  "session/resume": async ({ sessionId }) => {
    session = String(sessionId);
    return { ...(script.session ?? MODES) };
  },
  "session/set_mode": async () => ({}),
  "session/set_model": async () => ({}),
  "session/set_config_option": async () => ({ configOptions: [] }),
  "session/prompt": async ({ prompt }) => {
    cancelled = new Promise<void>((resolve) => (onCancel = resolve));
    lastPrompt = (prompt as { text?: string }[]).map(({ text }) => text ?? "").join("");
    const end = (await play(prompts.shift() ?? [{ say: "nothing left in the script" }])) ?? {
      stopReason: "end_turn",
    };
    if ("error" in end) throw Object.assign(new Error("as the script says"), end.error);
    return end;
  },
};

const MODES = {
  modes: { currentModeId: "default", availableModes: ["default", "plan", "yolo"].map((id) => ({ id, name: id })) },
};

createInterface({ input: process.stdin })
  .on("line", (line) => {
    if (script.record !== undefined) appendFileSync(script.record, `${JSON.stringify({ from: "client", line })}\n`);
    const message = JSON.parse(line) as Message;
    if (message.method === undefined) {
      waiting.get(Number(message.id))?.(message);
      return;
    }
    if (message.method === "session/cancel") onCancel();
    if (message.id !== undefined) void answer(message.id, message.method, message.params ?? {});
  })
  .on("close", () => {
    if (script.ignoresEnd !== true) process.exit(0);
  });
if (script.ignoresEnd === true) process.on("SIGTERM", () => undefined);

async function answer(id: number | string, method: string, params: Record<string, unknown>): Promise<void> {
  if (script.silentAt === method) return;
  const failure = script.failAt?.[method];
  if (failure !== undefined) return send({ id, error: failure });
  const reply = answers[method];
  if (reply === undefined) return send({ id, error: { code: -32601, message: `no ${method}` } });
  try {
    await send({ id, result: await reply(params) });
    if (method === "session/prompt" && script.after !== undefined) await play(script.after);
  } catch (error) {
    const { code = -32603, message = "", data } = error as { code?: number; message?: string; data?: unknown };
    await send({ id, error: { code, message, ...(data === undefined ? {} : { data }) } });
  }
}

if (script.before !== undefined) void play(script.before);
