// Everything that a caller can ask, once. Every mouth offers exactly those that its callers' authority allows.
import type * as z from "zod";
import { authorityDenied, invalidInput } from "../errors/index.ts";
import { getAgent, grantTrust, listAgents, listTrust, revokeTrust } from "./agent-operations.ts";
import { startTasks } from "./batch-operations.ts";
import { getConfig, listConfig, setConfig } from "./config-operations.ts";
import { checkAgents, createAgent, exportAgents, importAgents } from "./conversion-operations.ts";
import { answerApproval, retryTask, sendMessage, stopTask } from "./control-operations.ts";
import { relayAnswer } from "./host-answers.ts";
import { connectHost, disconnectHost, listHosts } from "./host-operations.ts";
import { acknowledgeInbox, listInbox } from "./inbox-operations.ts";
import { beginLogin, finishLogin, forgetLogin } from "./login-operations.ts";
import { acceptMemory, addMemory, findMemories, forgetMemory, listMemory, searchMemory } from "./memory-operations.ts";
import type { Authority, OperationContext } from "./operation.ts";
import { exportSession, getSession, listSessions, pruneSessions } from "./session-operations.ts";
import { findTasks, getTask, listTasks, readEvents, startTask, waitForTask } from "./task-operations.ts";
import { createTool, listTools, runTool } from "./tool-operations.ts";
import { diffWork, discardWork, listHeldBack, listWork, mergeWork } from "./workspace-operations.ts";

export const OPERATIONS = {
  "task.start": startTask,
  "task.start-many": startTasks,
  "task.get": getTask,
  "task.list": listTasks,
  "task.find": findTasks,
  "task.wait": waitForTask,
  "task.events": readEvents,
  "task.stop": stopTask,
  "task.retry": retryTask,
  "task.send": sendMessage,
  "inbox.list": listInbox,
  "inbox.acknowledge": acknowledgeInbox,
  "approval.answer": answerApproval,
  "approval.relay": relayAnswer,
  "session.list": listSessions,
  "session.get": getSession,
  "session.prune": pruneSessions,
  "session.export": exportSession,
  "agent.list": listAgents,
  "agent.get": getAgent,
  "agent.check": checkAgents,
  "agent.import": importAgents,
  "agent.export": exportAgents,
  "agent.create": createAgent,
  "trust.grant": grantTrust,
  "trust.revoke": revokeTrust,
  "trust.list": listTrust,
  "config.list": listConfig,
  "config.get": getConfig,
  "config.set": setConfig,
  "memory.add": addMemory,
  "memory.search": searchMemory,
  "memory.list": listMemory,
  "memory.find": findMemories,
  "memory.accept": acceptMemory,
  "memory.forget": forgetMemory,
  "tool.list": listTools,
  "tool.run": runTool,
  "tool.create": createTool,
  "login.begin": beginLogin,
  "login.finish": finishLogin,
  "login.forget": forgetLogin,
  "task.held-back": listHeldBack,
  "workspace.list": listWork,
  "workspace.diff": diffWork,
  "workspace.merge": mergeWork,
  "workspace.discard": discardWork,
  "host.list": listHosts,
  "host.connect": connectHost,
  "host.disconnect": disconnectHost,
} as const;

export type OperationName = keyof typeof OPERATIONS;
export type OperationInput<Name extends OperationName> = z.input<(typeof OPERATIONS)[Name]["input"]>;
export type OperationOutput<Name extends OperationName> = z.output<(typeof OPERATIONS)[Name]["output"]>;

/** Whose callers each mouth can have. A model may speak through a protocol, so a person's operations are not there. */
export const MOUTHS = {
  library: ["person", "agent"],
  cli: ["person", "agent"],
  mcp: ["agent"],
} as const satisfies Record<string, readonly Authority[]>;

export type MouthName = keyof typeof MOUTHS;

export function operationsFor(mouth: MouthName): OperationName[] {
  const heard: readonly Authority[] = MOUTHS[mouth];
  return Object.keys(OPERATIONS)
    .filter(isOperation)
    .filter((name) => heard.includes(OPERATIONS[name].authority));
}

export const isOperation = (name: string): name is OperationName => Object.hasOwn(OPERATIONS, name);

/** The one way in: authority first, then the input, then the work. */
export async function call<Name extends OperationName>(
  name: Name,
  input: OperationInput<Name>,
  context: OperationContext,
): Promise<OperationOutput<Name>> {
  const operation: AnyOperation = OPERATIONS[name];
  const { caller } = context;
  const parsed = operation.input.safeParse(input);
  const isLook = parsed.success && operation.onlyLooks?.(parsed.data) === true;
  if (operation.authority === "person" && !isLook) {
    if (caller.inside !== null)
      throw authorityDenied(name, "is a person's to decide, and this call comes from inside an attempt");
    if (caller.authority !== "person") throw authorityDenied(name, "is a person's to decide");
  }
  if (!parsed.success) throw invalidInput(`${name}: ${problems(parsed.error)}`);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the operation of that name makes that output
  return (await operation.run(context, parsed.data)) as OperationOutput<Name>;
}

/** The operations as one type. Their inputs differ, and `safeParse` above is what ties each to its own. */
interface AnyOperation {
  readonly authority: Authority;
  readonly input: z.ZodType;
  onlyLooks?(input: unknown): boolean;
  run(context: OperationContext, input: unknown): Promise<unknown>;
}

const problems = ({ issues }: z.ZodError): string =>
  issues.map(({ path, message }) => (path.length === 0 ? message : `${path.join(".")}: ${message}`)).join("; ");
