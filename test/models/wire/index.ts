export { startWireServer, type WireFormat, type WireScript, type WireServer } from "./wire-server.ts";
export { callTool, say, type WireAnswer, type WireReply } from "./reply.ts";
