// The numbers, in one place, and how a task's own are found.
import type { AgentDefinition, Limits } from "../schema/index.ts";

export interface Settings {
  readonly maxConcurrent: number;
  readonly rateLimitPerMin: number;
  readonly timeoutMs: number;
  /** No task runs longer, whatever its agent or its caller says. */
  readonly maxRuntimeMins: number;
  readonly maxTurns: number;
  readonly maxOutputKb: number;
  readonly maxDepth: number;
  readonly maxPerRoot: number;
  /** How long an approval in the inbox waits for its answer. */
  readonly approvalTimeoutMs: number;
  /** How long a stopped attempt may take to end by itself. */
  readonly stopGraceMs: number;
  /** How often a gate's complaint is given back to an agent before the task fails. */
  readonly maxRevisions: number;
  /** How long an agent has for its last words when its time or its turns are up. */
  readonly graceMs: number;
  /** What agents run on that name no model of their own; `null`: they must name one. */
  readonly defaultModel: string | null;
  /** Where tasks run that name no agent; `null`: by what their words sound like. */
  readonly defaultBackend: string | null;
  /** How many messages of a session are put before an agent that goes on with it. */
  readonly maxHistory: number;
  /** What becomes of a task that would write where another one does, in the project itself. */
  readonly collisions: "queue" | "refuse" | "allow";
  /** How many tokens they may have together, by our own estimate. */
  readonly maxContextTokens: number;
  /** How many days a session is kept in which nothing happens any more. */
  readonly sessionExpiryDays: number;
  /** Whether agents that say nothing of their rights have those of their caller, instead of the baseline. */
  readonly inherits: boolean;
}

export const DEFAULT_SETTINGS: Settings = Object.freeze({
  maxConcurrent: 10,
  rateLimitPerMin: 20,
  timeoutMs: 600_000,
  maxRuntimeMins: 10,
  maxTurns: 30,
  maxOutputKb: 100,
  maxDepth: 3,
  maxPerRoot: 64,
  approvalTimeoutMs: 600_000,
  stopGraceMs: 2_000,
  maxRevisions: 2,
  graceMs: 60_000,
  defaultModel: null,
  defaultBackend: null,
  maxHistory: 20,
  collisions: "queue",
  maxContextTokens: 32_000,
  sessionExpiryDays: 7,
  inherits: false,
});

/** What a caller may ask for, for one task. */
export interface LimitWishes {
  readonly timeoutMs?: number | undefined;
  readonly maxTurns?: number | undefined;
  readonly budgetUsd?: number | undefined;
  readonly maxTokens?: number | undefined;
}

const MINUTE_MS = 60_000;

export function limitsOf(definition: AgentDefinition, wishes: LimitWishes, settings: Settings): Limits {
  const agentMs = definition.timeout_mins === undefined ? undefined : definition.timeout_mins * MINUTE_MS;
  const wanted = wishes.timeoutMs ?? agentMs ?? settings.timeoutMs;
  return {
    timeoutMs: Math.max(1, Math.round(Math.min(wanted, settings.maxRuntimeMins * MINUTE_MS))),
    maxTurns: wishes.maxTurns ?? definition.max_turns ?? settings.maxTurns,
    maxOutputKb: definition.max_output_kb ?? settings.maxOutputKb,
    budget: {
      // A caller may lower an agent's own budget, never raise it.
      microUsd: toMicro(smaller(wishes.budgetUsd, definition.budget_usd)),
      tokens: smaller(wishes.maxTokens, definition.max_tokens) ?? null,
    },
  };
}

const smaller = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined ? b : b === undefined ? a : Math.min(a, b);

const toMicro = (usd: number | undefined): number | null => (usd === undefined ? null : Math.round(usd * 1_000_000));
