import type * as z from "zod";
import type { Engine } from "../engine/index.ts";
import type {
  Configuration,
  Conversion,
  HostConfig,
  Logins,
  Memory,
  ToolShelf,
  Trust,
  WorkShelf,
} from "../ports/index.ts";
import type { Askable, TaskView } from "../schema/index.ts";

/**
 * Who may ask. `agent`: anybody, a model too. `person`: only somebody who can be held to it; these operations
 * answer approvals, trust folders and widen rights, and do not exist where a model speaks.
 */
export type Authority = "person" | "agent";

export interface Caller {
  readonly mouth: string;
  readonly authority: Authority;
  /** For the log: a person's name for themselves, a host, a task. */
  readonly by: string;
  /** The task whose attempt asks, when an agent asks from inside of one. It sees and starts only what is below it. */
  readonly inside: TaskView | null;
  readonly askable: Askable;
}

export interface OperationContext {
  readonly engine: Engine;
  readonly trust: Trust;
  readonly config: Configuration;
  readonly caller: Caller;
  /** Loaded when they are first needed: most commands ask for none of them. */
  readonly conversion: () => Promise<Conversion>;
  readonly memory: () => Promise<Memory>;
  readonly tools: () => Promise<ToolShelf>;
  readonly hosts: () => Promise<HostConfig>;
  readonly logins: () => Promise<Logins>;
  readonly work: () => Promise<WorkShelf>;
  /** The folder that this project's agents belong to. */
  readonly project: string;
  readonly signal: AbortSignal;
  /** Whoever asks waits for the end of what it starts, and needs to know of nothing before. */
  readonly isAwaited?: boolean | undefined;
}

export interface Operation<Input extends z.ZodType, Output extends z.ZodType> {
  readonly authority: Authority;
  /** One sentence, as help and as a tool's description. */
  readonly summary: string;
  readonly input: Input;
  readonly output: Output;
  /** Of one that is a person's: whether this input only looks and changes nothing, which anybody may. */
  onlyLooks?(input: z.output<Input>): boolean;
  run(context: OperationContext, input: z.output<Input>): Promise<z.input<Output>>;
}

/** Only for its types: an operation is data. */
export const defineOperation = <Input extends z.ZodType, Output extends z.ZodType>(
  operation: Operation<Input, Output>,
): Operation<Input, Output> => operation;
