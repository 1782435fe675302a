import type * as z from "zod";
import { CODES, RpcError } from "./connection.ts";

/** What a peer asks with, or a refusal that says what is wrong with it. */
export function readParams<T extends z.ZodType>(schema: T, params: unknown): z.infer<T> {
  const read = schema.safeParse(params);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const where = issue === undefined || issue.path.length === 0 ? "the parameters" : issue.path.join(".");
  throw new RpcError(CODES.invalidParams, `${where}: ${issue?.message ?? "not understood"}`);
}
