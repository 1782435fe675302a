import type { TaskView } from "../../schema/index.ts";
import type { HostCall } from "../host-tool.ts";
import type { Reply } from "../reply.ts";
import { gencodeReply, gencodeResult, gencodeStarted } from "./gencode-text.ts";
import { geminiReply } from "./gemini-text.ts";
import { fieldsReply } from "./task-fields.ts";
import { yeetReply } from "./yeet-text.ts";

/** `started`: nobody waits. `result`: it was waited for. `looked`: somebody has asked how it is. */
export type Occasion = "started" | "result" | "looked";

/** A task as it is now, in the words of the dialect; its answer from `cursor` on. */
export function showTask(task: TaskView, call: HostCall, occasion: Occasion, cursor = 0): Reply {
  const { pageChars } = call.bounds;
  switch (call.manner.dialect) {
    case "cadre":
    case "glee":
      return fieldsReply(task, call, cursor);
    case "gencode":
      if (occasion === "started") return gencodeStarted(task);
      return occasion === "result" ? gencodeResult(task, pageChars) : gencodeReply(task, cursor, pageChars);
    case "gemini":
      return geminiReply(task, cursor, pageChars);
    case "yeet":
      return yeetReply(task, cursor, pageChars);
  }
}
