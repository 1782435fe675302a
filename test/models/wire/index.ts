export { startWireServer, type WireFormat, type WireRequest, type WireScript, type WireServer } from "./wire-server.ts";
export { callTool, say, type WireAnswer, type WirePart, type WireReply, type WireUsage } from "./reply.ts";
export type { Said } from "./dialect.ts";
