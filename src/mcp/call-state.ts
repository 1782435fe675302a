// What a call is answered with when it needs the host's user, and comes back with: which task, which questions. It goes
// through the host, so it is sealed, for a while, for this very call and this very host.
import { createHash } from "node:crypto";
import { createRequestStateCodec, type RequestStateCodec, type ServerContext } from "@modelcontextprotocol/server";
import * as z from "zod";
import { TaskId } from "../schema/index.ts";
import { Asked } from "./ask-host.ts";

const TTL_SECONDS = 600;

const CallState = z.strictObject({
  task: TaskId,
  asked: z.array(Asked),
  call: z.string(),
  session: z.string(),
});
export type CallState = z.infer<typeof CallState>;

/** The key is one process's: whoever comes back to another one finds the task by its id, and its question in the inbox. */
export const callStates = (key: Uint8Array): RequestStateCodec<CallState> =>
  createRequestStateCodec<CallState>({ key, ttlSeconds: TTL_SECONDS, bind: ({ mcpReq }) => mcpReq.method });

/** The state that came with a call, if it is one of ours: it has been unsealed by then. */
export function stateIn({ mcpReq }: ServerContext): CallState | undefined {
  const state = mcpReq.requestState();
  return state === undefined ? undefined : CallState.safeParse(state).data;
}

export const callDigest = (name: string, args: unknown): string =>
  createHash("sha256")
    .update(JSON.stringify([name, args ?? {}]))
    .digest("base64url");
