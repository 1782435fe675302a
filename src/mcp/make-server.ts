// One connection: what a host can list and call, in either era of the protocol.
import {
  type CallToolResult,
  inputRequired,
  type InputRequiredResult,
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type RequestStateCodec,
  type ServerContext,
  type Tool,
} from "@modelcontextprotocol/server";
import { CadreError } from "../errors/index.ts";
import { answerIn, askedOf, type Given, requestsFor } from "./ask-host.ts";
import { askNow } from "./ask-now.ts";
import { sendBareTasks } from "./bare-tasks.ts";
import { callDigest, type CallState, stateIn } from "./call-state.ts";
import type { Desk } from "./desk.ts";
import { ceilingOf } from "./host-ceiling.ts";
import type { HostSession } from "./host-session.ts";
import type { Answered, HostCall, HostTool } from "./host-tool.ts";
import { boundsOf } from "./hosts.ts";
import type { Manner } from "./manner.ts";
import { problemReply } from "./reply.ts";
import { resultOf } from "./result-of.ts";
import { senderOf, TASKS } from "./sender.ts";
import { serveTasks } from "./serve-tasks.ts";
import { createdTask } from "./tasks-extension.ts";

export interface ServerWishes {
  readonly version: string;
  readonly desk: Desk;
  readonly manner: Manner;
  /** From whoever set the server up; else as is known of the host. */
  readonly waitMs?: number | undefined;
  /** As they are to be told of now, and those that a call is looked for among. */
  readonly listTools: () => Promise<readonly HostTool[]>;
  readonly callTools: () => Promise<readonly HostTool[]>;
  /** Told of what the tools are called and for, as a host has just been told it. */
  readonly listed: (tools: readonly Tool[]) => void;
  readonly sessionOf: (host: string | undefined) => HostSession;
  readonly states: RequestStateCodec<CallState>;
}

const INSTRUCTIONS =
  "Sub-agents that work on their own. Start one with the task tool; a result that takes long comes as a task_id. " +
  "Tasks go on when a call is cancelled or this server ends. Questions of agents are answered by a person: cadre inbox.";

/** A host that is asked so often in one call has something else to do. */
const MOST_ROUNDS = 50;

export function makeServer(wishes: ServerWishes): McpServer {
  const { version, desk, manner, states } = wishes;
  const capabilities = { tools: { listChanged: true }, extensions: { [TASKS]: {} } };
  const mcp = new McpServer(
    { name: "cadre", version },
    {
      capabilities,
      instructions: INSTRUCTIONS,
      requestState: { verify: (state, context) => states.verify(state, context) },
    },
  );
  const { server } = mcp;

  const callFor = async (context: ServerContext): Promise<HostCall> => {
    const { name, isModern, followsTasks, canAsk } = senderOf(context, server);
    return {
      cadre: await desk.cadre(),
      desk,
      manner,
      bounds: boundsOf(name, wishes.waitMs),
      signal: context.mcpReq.signal,
      tell: progressTo(context),
      followsTasks,
      session: wishes.sessionOf(name),
      user: canAsk ? { isAskedByResult: isModern } : null,
      ceiling: ceilingOf(context.mcpReq._meta),
      context,
    };
  };

  server.setRequestHandler("tools/list", async () => {
    const tools = (await wishes.listTools()).map(shown);
    wishes.listed(tools);
    return { tools };
  });

  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const tool = (await wishes.callTools()).find(({ name }) => name === params.name);
    if (tool === undefined)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool called "${params.name}"`);
    await desk.settled();
    const digest = () => callDigest(params.name, params.arguments);
    let resumed = resumedBy(context, () => ({
      call: digest(),
      session: wishes.sessionOf(senderOf(context, server).name).key,
    }));
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const run = async () => tool.run(params.arguments, { ...(await callFor(context)), resumed });
      const answered = await answer(desk, run);
      desk.wakeWorker();
      if (!("questions" in answered)) return inProtocol(answered);
      const { questions, of: task } = answered;
      const { name, isModern } = senderOf(context, server);
      if (!isModern) {
        resumed = { task, given: await askNow(questions, context) };
        continue;
      }
      const { key: session } = wishes.sessionOf(name);
      const state = { task, asked: questions.map(askedOf), call: digest(), session };
      return inputRequired({
        inputRequests: requestsFor(questions),
        requestState: await states.mint(state, context),
      });
    }
    throw new ProtocolError(ProtocolErrorCode.InternalError, "There are too many questions for one call");
  });

  serveTasks(server, desk, callFor);
  sendBareTasks(server);
  return mcp;
}

/** What the host's user has said to the call before this one. State of another call, or another host's, is refused. */
function resumedBy(context: ServerContext, of: () => Pick<CallState, "call" | "session">): HostCall["resumed"] {
  const state = stateIn(context);
  if (state === undefined) return undefined;
  const { call, session } = of();
  if (state.call !== call || state.session !== session)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, "Invalid or expired requestState");
  const given = state.asked.flatMap((asked): Given[] => {
    const said = answerIn(context.mcpReq.inputResponses, asked);
    return said === undefined ? [] : [{ ...asked, answer: said }];
  });
  return { task: state.task, given };
}

function inProtocol(answered: Exclude<Answered, { questions: unknown }>): CallToolResult | InputRequiredResult {
  if ("result" in answered) return answered.result;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the extension's result, for those who declare it
  return "task" in answered ? (createdTask(answered.task) as unknown as CallToolResult) : resultOf(answered);
}

/** Work that cannot be done is an answer; only a mistake of ours has no words of its own. */
async function answer(desk: Desk, run: () => Promise<Answered>): Promise<Answered> {
  try {
    return await run();
  } catch (error) {
    if (CadreError.isInstance(error)) return problemReply(error);
    if (error instanceof ProtocolError) throw error;
    desk.log(`bug: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    return { text: `error: this is a mistake in Cadre itself: ${String(error)}`, isError: true };
  }
}

/** Larger than any reply: Claude Code then shows all of one, as it does up to this size. */
const SHOW_WHOLE = { "anthropic/maxResultSizeChars": 200_000 };

export function shown({ name, description, inputSchema, effect }: HostTool): Tool {
  const annotations = {
    readOnlyHint: effect === "reads",
    destructiveHint: effect === "stops",
    idempotentHint: effect !== "works",
    openWorldHint: effect === "works",
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- made from an object's schema
  return { name, description, inputSchema: inputSchema() as Tool["inputSchema"], annotations, _meta: SHOW_WHOLE };
}

/** A number that grows with every word. Who has left hears nothing, and that is nobody's problem. */
function progressTo({ mcpReq }: ServerContext): HostCall["tell"] {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  let progress = 0;
  return (message) => {
    const params = { progressToken, progress: ++progress, message };
    void mcpReq.notify({ method: "notifications/progress", params }).catch(() => undefined);
  };
}
