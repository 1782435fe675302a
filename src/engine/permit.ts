// A tool call against the policy. What is allowed is in the log before the tool runs; what is not, too.
import { decideCall, type Judgement } from "../domain/decide-call.ts";
import { grantsFor } from "../domain/grants.ts";
import { isHomeOf } from "../domain/own-state.ts";
import { folderIn, isInScopes, isOwnTree, normalizePath } from "../domain/scopes.ts";
import type { Permission, Question, ToolCall } from "../ports/index.ts";
import {
  type Answer,
  type Decision,
  type Effect,
  Exit,
  type TaskView,
  type WorkspaceBinding,
} from "../schema/index.ts";
import type { Journal } from "./journal.ts";
import type { RunningParts } from "./parts.ts";

export class Permits {
  readonly #parts: RunningParts;
  readonly #journal: Journal;
  readonly #task: TaskView;
  readonly #ask: (question: Question) => Promise<Answer>;
  /** Rules whose question was answered "for this task". */
  readonly #settled: Set<string>;
  readonly #asking = new Map<string, Promise<unknown>>();

  constructor(parts: RunningParts, journal: Journal, task: TaskView, ask: (question: Question) => Promise<Answer>) {
    this.#parts = parts;
    this.#journal = journal;
    this.#task = task;
    this.#ask = ask;
    const lasting = task.approvals.filter(
      ({ state, answer }) => state !== "expired" && answer?.verdict === "allow" && answer.scope !== "once",
    );
    this.#settled = new Set(lasting.map(({ rule }) => rule).filter((rule) => rule !== null));
  }

  async permit(use: ToolCall): Promise<Permission> {
    const call = this.#parts.mint.id("call");
    const decision = await this.#decide(use);
    const { tool, effect, input, of = null } = use;
    const isAllowed = decision.verdict === "allow";
    const said = { type: isAllowed ? "tool.called" : "tool.refused", call, tool, effect, input, of, decision } as const;
    const isIntention = isAllowed && (use.leavesTraces ?? LEAVES_TRACES[effect]);
    await (isIntention ? this.#journal.intend(said) : this.#journal.append(said));
    return { kind: isAllowed ? "allowed" : "refused", call, decision };
  }

  async #decide(use: ToolCall): Promise<Decision> {
    const { policy, workspace } = this.#task.spec;
    const path = use.path === undefined ? undefined : this.#inProject(workspace, use.path);
    if (use.problem === undefined && isOwnAffair(use)) return OWN_AFFAIR;
    const isOwn = path !== undefined && isInScopes(path, this.#parts.ownFiles(this.#task.id).scopes);
    const { homes, isHome } = this.#parts;
    const place = { homes, isHome: isHomeOf(workspace, isHome), isOwnTree: isOwn || isOwnTree(workspace) };
    const decision = decideCall(policy, { ...use, path }, place);
    if (decision.verdict !== "ask") return decision;
    const about = subjectOf(use, decision.rule);
    return this.#oneAtATime(about, () => this.#askFor(use, decision, about));
  }

  /**
   * A policy speaks of the project, a tool of its workspace, which may be a folder of it. Of a tree of its own the
   * project itself is no part: only what is the task's own has a place there.
   */
  #inProject(workspace: WorkspaceBinding, path: string): string {
    if (!path.startsWith("/")) return normalizePath(`${folderIn(workspace)}/${path}`);
    const scoped = this.#parts.scopeOf(path);
    if (workspace.mode === "shared" || isInScopes(scoped, this.#parts.ownFiles(this.#task.id).scopes)) return scoped;
    return normalizePath(path);
  }

  /** Two calls that one rule covers, made at the same time: an answer "for this task" to the first is both's. */
  async #oneAtATime(about: string | undefined, ask: () => Promise<Decision>): Promise<Decision> {
    if (about === undefined) return ask();
    const before = this.#asking.get(about);
    const next = before === undefined ? ask() : before.then(ask, ask);
    this.#asking.set(about, next);
    next.catch(() => undefined); // whoever asked is told, also where it could not wait for it
    if (before !== undefined) await this.#journal.written(); // a person may take hours
    return next;
  }

  async #askFor(use: ToolCall, decision: Judgement, about: string | undefined): Promise<Decision> {
    if (about !== undefined && this.#settled.has(about))
      return { verdict: "allow", rule: `${decision.rule}: allowed for this task` };
    const { name } = this.#task.spec.definition;
    const isSpawn = use.effect === "delegate";
    const wish = isSpawn ? `${name} wants to start ${use.agent ?? "an agent"}` : `${name} wants to use ${use.tool}`;
    const answer = await this.#ask({
      kind: isSpawn ? "spawn" : "tool",
      rule: about,
      title: decision.why === undefined ? wish : `${wish}: ${decision.why}`,
      body: JSON.stringify(use.input, null, 2),
      grants: grantsFor(use),
    });
    if (answer.verdict !== "allow") {
      const note = answer.verdict === "deny" ? (answer.note ?? "denied by a person") : "answered, not allowed";
      return { verdict: "deny", rule: `${decision.rule}: ${note}` };
    }
    if (answer.scope !== "once" && about !== undefined) this.#settled.add(about);
    return { verdict: "allow", rule: `${decision.rule}: allowed by a person` };
  }
}

/** Who is asked to do something writes down what it does itself. */
const LEAVES_TRACES: Readonly<Record<Effect, boolean>> = {
  none: false,
  read: false,
  delegate: false,
  write: true,
  exec: true,
  net: true,
};

/**
 * What "for this task" allows from then on: that tool, of a shell just these commands, of agents just this one.
 * Nothing that is not understood.
 */
function subjectOf({ tool, commands, agent }: ToolCall, rule: string): string | undefined {
  if (commands === null) return undefined;
  const some = commands?.join("; ") ?? agent;
  return `${some === undefined ? tool : `${tool}: ${some}`} (${rule})`;
}

/** Ending, and looking after what it has itself started: nobody else is touched by it. A name alone does not say so. */
const isOwnAffair = ({ tool, effect }: ToolCall): boolean =>
  effect === "none" && (tool === "TaskOutput" || tool === "TaskStop" || Exit.safeParse(tool).success);
const OWN_AFFAIR: Decision = { verdict: "allow", rule: "an agent's own affair" };
