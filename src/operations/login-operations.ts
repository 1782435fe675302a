// Logins at MCP servers: a person's, on a terminal, never an agent's.
import * as z from "zod";
import { defineOperation } from "./operation.ts";

const Where = z.strictObject({ server: z.string().min(1), agent: z.string().min(1).optional() });

export const beginLogin = defineOperation({
  authority: "person",
  summary: "Begin to log in at an MCP server: the address is for the person to open.",
  input: Where.extend({ clientId: z.string().min(1).optional(), clientSecret: z.string().min(1).optional() }),
  output: z.strictObject({ login: z.string(), url: z.string() }),
  run: async ({ logins, signal }, wish) => (await logins()).begin(wish, signal),
});

export const finishLogin = defineOperation({
  authority: "person",
  summary: "Wait until the person has logged in.",
  input: z.strictObject({ login: z.string().min(1) }),
  output: z.strictObject({ issuer: z.string(), tools: z.int().nullable(), problem: z.string().optional() }),
  run: async ({ logins }, { login }) => (await logins()).finish(login),
});

export const forgetLogin = defineOperation({
  authority: "person",
  summary: "Forget a login at an MCP server.",
  input: Where,
  output: z.strictObject({ forgotten: z.boolean() }),
  run: async ({ logins }, wish) => ({ forgotten: await (await logins()).forget(wish) }),
});
