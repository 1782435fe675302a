const BRAND = Symbol.for("cadre.error");

/** JSON-safe details for logs and `--json`: no secrets, no live objects. */
export type Facts = Readonly<Record<string, string | number | boolean | null>>;

/**
 * Every kind of mistake that a caller can make or meet. Each mouth answers for all of them by a total
 * table (exit code, HTTP status, …), so a new code does not compile until every mouth has an answer.
 */
export const ERROR_CODES = [
  "input.invalid",
  "definition.invalid",
  "agent.not-found",
  "agent.disabled",
  "agent.untrusted",
  "task.not-found",
  "task.ambiguous",
  "task.state",
  "session.not-found",
  "session.busy",
  "approval.not-found",
  "approval.closed",
  "admission.refused",
  "authority.denied",
  "attempt.stale",
  "backend.not-found",
  "home.invalid",
  "store.unavailable",
  "workspace.failed",
  "log.corrupt",
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

export interface ErrorExtra {
  /** One sentence the reader can act on; where there is one, the command to type. */
  readonly hint?: string | undefined;
  readonly facts?: Facts | undefined;
  readonly cause?: unknown;
}

/** Every error that we throw on purpose. Anything else that reaches a mouth is a bug and is shown as one. */
export class CadreError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly facts: Facts;
  readonly [BRAND] = true;

  constructor(code: ErrorCode, message: string, extra: ErrorExtra = {}) {
    super(message, extra.cause === undefined ? undefined : { cause: extra.cause });
    this.name = "CadreError";
    this.code = code;
    this.hint = extra.hint;
    this.facts = extra.facts ?? {};
  }

  /** By brand, not by prototype: two copies of this package can meet in one process. */
  static isInstance(value: unknown): value is CadreError {
    return typeof value === "object" && value !== null && BRAND in value;
  }
}
