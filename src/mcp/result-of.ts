import type { CallToolResult } from "@modelcontextprotocol/server";
import type { Reply } from "./reply.ts";

/** A reply in the protocol's words. */
export const resultOf = ({ text, data, isError }: Reply): CallToolResult => ({
  content: [{ type: "text", text }],
  ...(data === undefined ? {} : { structuredContent: data }),
  ...(isError === true ? { isError } : {}),
});
