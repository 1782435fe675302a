// Who sends a request, as the request itself or the connection says it.
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import * as z from "zod";

export interface Sender {
  readonly name: string | undefined;
  /** Of the later era: each request stands for itself, and nothing can be asked but in its result. */
  readonly isModern: boolean;
  readonly followsTasks: boolean;
  /** The host has a form for its user. */
  readonly canAsk: boolean;
}

export const TASKS = "io.modelcontextprotocol/tasks";

/** What a request of the later era says of its sender. */
const Envelope = z.looseObject({
  [CLIENT_INFO_META_KEY]: z.looseObject({ name: z.string() }).optional().catch(undefined),
  [CLIENT_CAPABILITIES_META_KEY]: z.unknown(),
});

const FollowsTasks = z.looseObject({ extensions: z.looseObject({ [TASKS]: z.looseObject({}) }) });
/** Those that say nothing of modes have the form. */
const Asks = z.looseObject({
  elicitation: z.union([z.looseObject({ form: z.looseObject({}) }), z.strictObject({})]),
});

export function senderOf({ mcpReq }: ServerContext, server: Server): Sender {
  const said = Envelope.safeParse(mcpReq.envelope ?? {}).data;
  const isModern = said?.[CLIENT_CAPABILITIES_META_KEY] !== undefined;
  const capabilities = isModern ? said?.[CLIENT_CAPABILITIES_META_KEY] : server.getClientCapabilities();
  return {
    name: said?.[CLIENT_INFO_META_KEY]?.name ?? server.getClientVersion()?.name,
    isModern,
    followsTasks: isModern && FollowsTasks.safeParse(capabilities).success,
    canAsk: hasForm(capabilities),
  };
}

/** Of those that a connection was opened with: what does not fit takes longer to judge than most of a call. */
const judged = new WeakMap<object, boolean>();

function hasForm(capabilities: unknown): boolean {
  if (typeof capabilities !== "object" || capabilities === null) return false;
  const known = judged.get(capabilities) ?? Asks.safeParse(capabilities).success;
  judged.set(capabilities, known);
  return known;
}
