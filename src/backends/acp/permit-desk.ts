// Where every call of a peer is put to the policy: one at a time, so that one person is asked one thing at a time and
// what is held for the peer stays bounded.
import { createHash } from "node:crypto";
import { oneLine } from "../../domain/summaries.ts";
import type { AttemptScope, Permission, ToolCall } from "../../ports/index.ts";
import type { CallId } from "../../schema/index.ts";
import { CODES, RpcError } from "./connection.ts";

/** Something exact that was allowed, and that the peer may now have us do, once, without being asked again. */
export interface Granted {
  readonly kind: "write" | "exec";
  /** The path as the policy names it; the command line. */
  readonly subject: string;
  /** The very bytes, of a file. */
  readonly content?: string | undefined;
}

/** What is kept of it: contents may be large. */
interface Kept extends Omit<Granted, "content"> {
  readonly hash: string | undefined;
  readonly call: CallId;
}

const hashOf = (content: string | undefined): string | undefined =>
  content === undefined ? undefined : createHash("sha256").update(content).digest("hex");

export interface Done<T> {
  readonly result: T;
  /** For the log. */
  readonly output: string;
}

const MAX_GRANTS = 100;
const MAX_WORDS = 500;

type DeskScope = Pick<AttemptScope, "permit" | "append" | "signal">;

export class PermitDesk {
  /** Aborted: nothing is allowed any more. */
  readonly signal: AbortSignal;
  readonly #scope: DeskScope;
  readonly #grants: Kept[] = [];
  readonly #returned = new Set<CallId>();
  #refusal: string | undefined;
  #refusals = 0;
  #last: Promise<unknown> = Promise.resolve();

  /** `breakOff` is aborted when the peer must not go on although its task does. */
  constructor(scope: DeskScope, breakOff: AbortSignal) {
    this.#scope = scope;
    this.signal = AbortSignal.any([scope.signal, breakOff]);
  }

  /** What the peer was last refused, and why. */
  get refusal(): string | undefined {
    return this.#refusal;
  }

  get refusals(): number {
    return this.#refusals;
  }

  sayRefused(rule: string): void {
    this.#refusal = oneLine(rule, MAX_WORDS);
    this.#refusals++;
  }

  /** One after the other, in the order in which they came. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#last.then(work, work);
    this.#last = next.catch(() => undefined);
    return next;
  }

  permit(call: ToolCall): Promise<Permission> {
    return this.#scope.permit(call);
  }

  grant({ kind, subject, content }: Granted, call: CallId): void {
    this.#grants.push({ kind, subject, hash: hashOf(content), call });
    if (this.#grants.length > MAX_GRANTS) this.#grants.shift();
  }

  /** Permitted, done and reported; or refused, in words that the peer can pass on to its model. */
  run<T>(call: ToolCall, work: () => Promise<Done<T>>, granted?: Granted): Promise<T> {
    return this.inTurn(async () => {
      const id = await this.admit(call, granted);
      try {
        const { result, output } = await work();
        await this.returned(id, true, output);
        return result;
      } catch (error) {
        if (this.signal.aborted) throw error;
        const words = error instanceof Error ? error.message : String(error);
        await this.returned(id, false, words);
        throw error;
      }
    });
  }

  /** Rejects where the policy says no. */
  async admit(call: ToolCall, granted?: Granted): Promise<CallId> {
    if (this.signal.aborted) throw new RpcError(CODES.invalidRequest, "the task is being stopped");
    const earlier = granted === undefined ? undefined : this.#take(granted);
    if (earlier !== undefined) return earlier;
    const permission = await this.#scope.permit(call);
    if (permission.kind === "allowed") return permission.call;
    this.sayRefused(permission.decision.rule);
    throw new RpcError(CODES.invalidRequest, `not allowed: ${oneLine(permission.decision.rule, MAX_WORDS)}`);
  }

  /** Once for each call: where we did it for the peer, its own word on it adds nothing. */
  async returned(call: CallId, ok: boolean, output: string, truncated = false): Promise<void> {
    if (this.#returned.has(call)) return;
    this.#returned.add(call);
    await this.#scope.append({ type: "tool.returned", call, ok, output, truncated });
  }

  #take({ kind, subject, content }: Granted): CallId | undefined {
    const hash = hashOf(content);
    const at = this.#grants.findIndex((kept) => kept.kind === kind && kept.subject === subject && kept.hash === hash);
    return at === -1 ? undefined : this.#grants.splice(at, 1)[0]?.call;
  }
}
