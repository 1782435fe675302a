// The methods of the Tasks extension. Whoever calls them is a program, so mistakes are the protocol's own errors.
import {
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import * as z from "zod";
import { CadreError } from "../errors/index.ts";
import { hasEnded } from "../operations/words.ts";
import { answerIn, askedOf, type Given, questionsFor, relay } from "./ask-host.ts";
import type { Desk } from "./desk.ts";
import type { HostCall } from "./host-tool.ts";
import { resultOf } from "./result-of.ts";
import { senderOf, TASKS } from "./sender.ts";
import { showTask } from "./show/show-task.ts";
import { shownTask, TaskParams } from "./tasks-extension.ts";
import { findTask } from "./tools/find-task.ts";

export function serveTasks(server: Server, desk: Desk, callFor: (context: ServerContext) => Promise<HostCall>): void {
  const taskNamed = async (taskId: string, context: ServerContext) => {
    if (!senderOf(context, server).followsTasks)
      throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { extensions: { [TASKS]: {} } } });
    const call = await callFor(context);
    const task = await findTask(call, taskId).catch((error: unknown) => {
      if (!CadreError.isInstance(error)) throw error;
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message);
    });
    return { call, task };
  };
  const result = z.looseObject({});

  server.setRequestHandler("tasks/get", { params: TaskParams, result }, async ({ taskId }, context) => {
    const { call, task } = await taskNamed(taskId, context);
    if (!hasEnded(task.status)) await desk.ensureWorker();
    return shownTask(task, resultOf(showTask(task, call, "result")), await questionsFor(call, task));
  });

  server.setRequestHandler("tasks/update", { params: TaskParams, result }, async ({ taskId }, context) => {
    const { call, task } = await taskNamed(taskId, context);
    const open = (await questionsFor(call, task)).map(askedOf);
    const given = open.flatMap((asked): Given[] => {
      const answer = answerIn(context.mcpReq.inputResponses, asked); // the library has taken them out of the parameters
      return answer === undefined ? [] : [{ ...asked, answer }];
    });
    await relay(call, given);
    return {};
  });

  server.setRequestHandler("tasks/cancel", { params: TaskParams, result }, async ({ taskId }, context) => {
    const { call, task } = await taskNamed(taskId, context);
    const stop = () => call.cadre.call("task.stop", { task: task.id });
    await desk.queue(() => stop().catch(() => undefined)); // it may have ended first
    return {};
  });
}
