// An MCP server whose tools an agent may use: a program that Cadre starts, or an address that it asks.
import * as z from "zod";

/** Two underscores would make `mcp__server__tool` mean two things. */
export const McpServerName = z
  .string()
  .max(40)
  .regex(/^[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*$/, 'names of MCP servers hold letters, digits, "-" and single "_"');
export type McpServerName = z.infer<typeof McpServerName>;

/** `{{secret:NAME}}` in a value stands for a variable of whoever runs it, and is filled in when it is used. */
export const SECRET_PLACE = /\{\{secret:([A-Za-z_][A-Za-z0-9_]*)\}\}/g;

// oxlint-disable-next-line eslint/no-control-regex -- no argument, variable or header holds a NUL
const NO_NUL = /^[^\u0000]*$/;
const Text = z.string().max(4096).regex(NO_NUL);
const Variable = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "not a name of a variable");
const HeaderName = z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/, "not a name of a header");

const COMMON = {
  /** Without it the task fails; otherwise its tools are missing, and a note says why. */
  required: z.boolean().default(false),
  /** How long one call may take. */
  timeout_ms: z.int().min(100).max(3_600_000).default(300_000),
};

const McpProgram = z.strictObject({
  command: Text.min(1),
  args: z.array(Text).max(200).default([]),
  /** Beside PATH, HOME and LANG. */
  env: z.record(Variable, Text).default({}),
  /** Relative to the project. */
  cwd: Text.min(1).optional(),
  ...COMMON,
});

const McpAddress = z.strictObject({
  /** https, or http on this machine. */
  url: z
    .url({ protocol: /^https?$/ })
    .max(2048)
    .refine(isSafeAddress, "must be https, or http to this machine, without a password"),
  headers: z.record(HeaderName, Text).default({}),
  ...COMMON,
});

export const McpServer = z.union([McpProgram, McpAddress]);
export type McpServer = z.infer<typeof McpServer>;

const Named = z.record(McpServerName, McpServer);

/** By name, each with what it is; or a list, where a bare name is a server of the user's own settings. */
export const McpServers = z.union([Named, z.array(z.union([McpServerName, Named])).max(50)]);
export type McpServers = z.infer<typeof McpServers>;

/** `mcp.servers` of the user's own settings. */
export const UserMcpServers = Named;
export type UserMcpServers = z.infer<typeof UserMcpServers>;

function isSafeAddress(address: string): boolean {
  const url = URL.parse(address);
  if (url === null || url.username !== "" || url.password !== "") return false;
  return url.protocol === "https:" || isLoopback(url.hostname);
}

/** Written out as this machine itself: a name that merely leads here is not. */
export const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "[::1]" || host === "::1" || /^127(?:\.\d{1,3}){3}$/.test(host);
