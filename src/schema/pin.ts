// What a person has seen of an agent in a trusted folder, and let pass.
import * as z from "zod";
import { Network, PermissionMode } from "./policy.ts";

const Names = z.array(z.string());

/** What an agent may do, as a person saw it. */
export const Rights = z.strictObject({
  mode: PermissionMode,
  /** Null: every tool. */
  allow: Names.nullable(),
  ask: Names,
  deny: Names,
  delegates: z.boolean(),
  read: Names,
  write: Names,
  network: Network,
  env: Names,
});
export type Rights = z.infer<typeof Rights>;

export const Pin = z.strictObject({
  /** What it is of: `agent reviewer`. */
  subject: z.string().min(1),
  /** Each program and MCP server that it names, with all that is said of it, by the SHA-256 of its canonical JSON. */
  programs: z.array(z.string().regex(/^[0-9a-f]{64}$/)),
  /** The widest that it may have without being seen again. A tool has none of its own. */
  rights: Rights.optional(),
});
export type Pin = z.infer<typeof Pin>;
