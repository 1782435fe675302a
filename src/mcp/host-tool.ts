// A tool as it is offered to hosts: what a model reads of it, what it takes, and what it does.
import type { CallToolResult, InputRequiredResult, ServerContext } from "@modelcontextprotocol/server";
import * as z from "zod";
import type { Cadre } from "../app/index.ts";
import { invalidInput } from "../errors/index.ts";
import type { OperationName } from "../operations/index.ts";
import type { AgentDefinition, Ceiling, TaskId, TaskView } from "../schema/index.ts";
import type { Given, HostQuestion } from "./ask-host.ts";
import type { Desk } from "./desk.ts";
import type { HostSession } from "./host-session.ts";
import type { HostBounds } from "./hosts.ts";
import type { Manner } from "./manner.ts";
import type { Reply } from "./reply.ts";

/** One call of a tool. */
export interface HostCall {
  readonly cadre: Cadre;
  readonly desk: Desk;
  readonly bounds: HostBounds;
  readonly manner: Manner;
  /** Aborted when the caller gives up. That ends the waiting, never a task. */
  readonly signal: AbortSignal;
  /** Where the caller wants to hear how it goes. */
  readonly tell?: ((message: string) => void) | undefined;
  /** The caller can follow a task by itself: it is given one instead of being kept waiting. */
  readonly followsTasks: boolean;
  /** Who calls, for as long as they are connected. */
  readonly session: HostSession;
  /** The host's user, where the host can ask them. */
  readonly user: { readonly isAskedByResult: boolean } | null;
  /** What the host is itself held to. */
  readonly ceiling: Ceiling | undefined;
  /** The same call went before, and was answered with questions: this is its task, and what was said to them. */
  readonly resumed?: { readonly task: TaskId; readonly given: readonly Given[] } | undefined;
  /** As the library has it, for what only a protocol's own test asks. */
  readonly context: ServerContext;
}

/** What the protocol has beside answers: a task that the caller follows by itself, or questions to the host's user. */
export type Answered =
  | Reply
  | { readonly task: TaskView }
  | { readonly questions: readonly HostQuestion[]; readonly of: TaskId }
  | { readonly result: CallToolResult | InputRequiredResult };

export interface HostTool {
  readonly name: string;
  readonly description: string;
  /** What it asks of Cadre: nothing that is a person's. */
  readonly operations: readonly OperationName[];
  readonly effect: "reads" | "works" | "stops";
  /** Made when it is asked for: a call needs it only to say what was wrong. */
  readonly inputSchema: () => Readonly<Record<string, unknown>>;
  /** `given` is what a model wrote: it is checked here. */
  run(given: unknown, call: HostCall): Promise<Answered>;
}

interface ToolWishes<Input extends z.ZodType> extends Omit<HostTool, "inputSchema" | "run"> {
  readonly input: Input;
  readonly run: (input: z.output<Input>, call: HostCall) => Promise<Answered>;
}

/** Tools may differ by which agents there are. */
export type ToolMaker = (agents: readonly AgentDefinition[], manner: Manner) => HostTool;

export function hostTool<Input extends z.ZodType>({ input, run, ...rest }: ToolWishes<Input>): HostTool {
  const inputSchema = () => {
    const { $schema: _, ...schema } = z.toJSONSchema(input, { io: "input" });
    return schema;
  };
  return {
    ...rest,
    inputSchema,
    run(given, call) {
      const parsed = input.safeParse(given ?? {});
      if (parsed.success) return run(parsed.data, call);
      throw invalidInput(`${rest.name}: ${parsed.error.issues.map(inWords).join("; ")}`, {
        hint: `It takes: ${Object.keys(inputSchema().properties ?? {}).join(", ")}`,
      });
    },
  };
}

const inWords = ({ path, message }: z.core.$ZodIssue): string =>
  path.length === 0 ? message : `${path.join(".")}: ${message}`;
