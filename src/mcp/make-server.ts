// One connection: what a host can list and call, in either era of the protocol.
import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  McpServer,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
  type Tool,
} from "@modelcontextprotocol/server";
import * as z from "zod";
import { CadreError } from "../errors/index.ts";
import type { Desk } from "./desk.ts";
import type { Answered, HostCall, HostTool } from "./host-tool.ts";
import { boundsOf } from "./hosts.ts";
import type { Manner } from "./manner.ts";
import { problemReply, type Reply } from "./reply.ts";
import { showTask } from "./show/show-task.ts";
import { createdTask, followsTasks, shownTask, TaskParams, TASKS } from "./tasks-extension.ts";
import { findTask } from "./tools/find-task.ts";
import { dependsOnAgents, toolsFor } from "./toolset.ts";

export interface ServerWishes {
  readonly version: string;
  readonly desk: Desk;
  readonly manner: Manner;
  /** From whoever set the server up; else as is known of the host. */
  readonly waitMs?: number | undefined;
  /** Told of what the agents are called and for, as a host has just been told it. */
  readonly listed: (tools: readonly Tool[]) => void;
}

const INSTRUCTIONS =
  "Sub-agents that work on their own. Start one with the task tool; a result that takes long comes as a task_id. " +
  "Tasks go on when a call is cancelled or this server ends. Questions of agents are answered by a person: cadre inbox.";

/** What a request of the later era says of its sender. */
const Sender = z.looseObject({
  [CLIENT_INFO_META_KEY]: z.looseObject({ name: z.string() }).optional().catch(undefined),
  [CLIENT_CAPABILITIES_META_KEY]: z.unknown(),
});

const senderOf = ({ mcpReq }: ServerContext) => {
  const said = Sender.safeParse(mcpReq.envelope ?? {}).data;
  return { name: said?.[CLIENT_INFO_META_KEY]?.name, capabilities: said?.[CLIENT_CAPABILITIES_META_KEY] };
};

export function makeServer(wishes: ServerWishes): McpServer {
  const { version, desk, manner } = wishes;
  const capabilities = { tools: { listChanged: true }, extensions: { [TASKS]: {} } };
  const mcp = new McpServer({ name: "cadre", version }, { capabilities, instructions: INSTRUCTIONS });
  const { server } = mcp;
  const fixed = toolsFor(manner, []);

  const callFor = async (context: ServerContext): Promise<HostCall> => {
    const { name, capabilities: declared } = senderOf(context);
    return {
      cadre: await desk.cadre(),
      desk,
      manner,
      bounds: boundsOf(name ?? server.getClientVersion()?.name, wishes.waitMs),
      signal: context.mcpReq.signal,
      tell: progressTo(context),
      followsTasks: followsTasks(declared),
    };
  };

  server.setRequestHandler("tools/list", async () => {
    const tools = toolsFor(manner, await desk.agents()).map(shown);
    wishes.listed(tools);
    return { tools };
  });

  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const tools = dependsOnAgents(manner) ? toolsFor(manner, await desk.agents()) : fixed;
    const tool = tools.find(({ name }) => name === params.name);
    if (tool === undefined)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool called "${params.name}"`);
    const answered = await answer(desk, async () => tool.run(params.arguments, await callFor(context)));
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the extension's result, for those who declare it
    return "task" in answered ? (createdTask(answered.task) as unknown as CallToolResult) : resultOf(answered);
  });

  /** The protocol's own errors: whoever asks for a task by this method is a program. */
  const taskNamed = async (taskId: string, context: ServerContext) => {
    if (!followsTasks(senderOf(context).capabilities))
      throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { extensions: { [TASKS]: {} } } });
    const call = await callFor(context);
    const task = await findTask(call, taskId).catch((error: unknown) => {
      if (!CadreError.isInstance(error)) throw error;
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message);
    });
    return { call, task };
  };
  const schemas = { params: TaskParams, result: z.looseObject({}) };
  server.setRequestHandler("tasks/get", schemas, async ({ taskId }, context) => {
    const { call, task } = await taskNamed(taskId, context);
    return shownTask(task, resultOf(showTask(task, call, "result")));
  });
  server.setRequestHandler("tasks/update", schemas, async ({ taskId }, context) => {
    await taskNamed(taskId, context); // nothing is asked of a host, so there is nothing that it could answer
    return {};
  });
  server.setRequestHandler("tasks/cancel", schemas, async ({ taskId }, context) => {
    const { call, task } = await taskNamed(taskId, context);
    const stop = () => call.cadre.call("task.stop", { task: task.id });
    await desk.queue(() => stop().catch(() => undefined)); // it may have ended first
    return {};
  });
  return mcp;
}

/** Work that cannot be done is an answer; only a mistake of ours has no words of its own. */
async function answer(desk: Desk, run: () => Promise<Answered>): Promise<Answered> {
  try {
    return await run();
  } catch (error) {
    if (CadreError.isInstance(error)) return problemReply(error);
    desk.log(`bug: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    return { text: `error: this is a mistake in Cadre itself: ${String(error)}`, isError: true };
  }
}

const resultOf = ({ text, data, isError }: Reply): CallToolResult => ({
  content: [{ type: "text", text }],
  ...(data === undefined ? {} : { structuredContent: data }),
  ...(isError === true ? { isError } : {}),
});

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
