import type { AuthProvider, CallToolResult, ElicitRequestParams, ElicitResult } from "@modelcontextprotocol/client";
import type { Resolve } from "../../platform/public-address.ts";
import type { Attempt, Clock } from "../../ports/index.ts";
import type { JsonObject, McpServer } from "../../schema/index.ts";
import type { ListedTool } from "./offered-tools.ts";

/** A question of the server's to a person. `url`: it wants an address opened. */
export type AskPerson = (question: ElicitRequestParams, signal: AbortSignal) => Promise<ElicitResult>;

export interface AddressWish {
  /** Its variables or headers, with secrets filled in. */
  readonly values: Readonly<Record<string, string>>;
  readonly privateHosts: readonly string[];
  readonly resolve?: Resolve | undefined;
  readonly version: string;
  readonly clock: Clock;
  /** Aborted when it has taken too long to start. */
  readonly signal: AbortSignal;
  /** For an address: whose tokens it gets, and where new ones come from. */
  readonly login?: AuthProvider | undefined;
  /** How long an address may take to answer at first, where a person has to log in meanwhile. */
  readonly patienceMs?: number | undefined;
  /** Absent: nobody can be asked anything, and the server is told so. */
  readonly ask?: AskPerson | undefined;
}

export interface ConnectWish extends AddressWish {
  readonly server: McpServer;
  /** What its program reads to run at all, beside the policy. */
  readonly reads: readonly string[];
  readonly attempt: Pick<Attempt, "keep" | "confinement" | "workspace" | "task">;
}

export interface ConnectedServer extends AsyncDisposable {
  readonly tools: readonly ListedTool[];
  /** Rejects where there is no answer, with the reason in words. */
  call(tool: string, input: JsonObject, signal: AbortSignal): Promise<CallToolResult>;
}
