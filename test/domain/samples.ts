// Builders that the tests of the domain and of the schemas share.
import * as fc from "fast-check";
import type * as z from "zod";
import type { ToolUse } from "../../src/domain/decide-call.ts";
import { foldTask } from "../../src/domain/fold-task.ts";
import type { TaskEventKind } from "../../src/domain/transitions.ts";
import {
  AgentDefinition,
  ApprovalId,
  CallId,
  type ControlEvent,
  Effect,
  type Envelope,
  type InboxEvent,
  InboxItemId,
  type Outcome,
  PermissionMode,
  type Policy,
  ReservationId,
  type SessionEvent,
  SessionId,
  type TaskEvent,
  type TaskEventType,
  TaskId,
  type TaskSpec,
  type TaskStatus,
  type TaskView,
  type ToolRules,
  type Worker,
  WorkerId,
} from "../../src/schema/index.ts";
import { anyPath } from "./paths.ts";

export const TASK = TaskId.parse("task_one");
export const CHILD = TaskId.parse("task_child");
export const SESSION = SessionId.parse("sess_one");
export const CHILD_SESSION = SessionId.parse("sess_child");
export const APPROVAL = ApprovalId.parse("appr_one");
export const RESERVATION = ReservationId.parse("rsrv_one");
const CALL = CallId.parse("call_one");

export const sampleWorker = (name: string): Worker => ({
  id: WorkerId.parse(`work_${name}`),
  host: "sample-host",
  bootId: "boot-1",
  pidNamespace: "4026531836",
  pid: 4711,
  startTime: "123456",
});

export const sampleDefinition = (more: Partial<z.input<typeof AgentDefinition>> = {}): AgentDefinition =>
  AgentDefinition.parse({ name: "Explore", description: "Looks around.", ...more });

export const samplePolicy = (more: Partial<Policy> = {}): Policy => ({
  modes: ["auto"],
  tools: [],
  fs: { read: ["."], write: ["."] },
  network: true,
  env: { allow: ["PATH"] },
  grants: [],
  spawn: "allow",
  ...more,
});

export const sampleSpec = (more: Partial<TaskSpec> = {}): TaskSpec => ({
  definition: sampleDefinition(),
  prompt: "Find the tests.",
  inputs: { where: "test" },
  instructions: "You look around.",
  session: SESSION,
  parent: null,
  call: null,
  root: TASK,
  depth: 0,
  background: false,
  dispatch: "auto",
  priority: 0,
  notBefore: null,
  backends: ["tape"],
  needs: [],
  policy: samplePolicy(),
  workspace: { mode: "shared", allow_writes: false },
  model: null,
  limits: { timeoutMs: 60_000, maxTurns: 30, maxOutputKb: 100, budget: { microUsd: 1_000, tokens: null } },
  askable: "inbox",
  origin: { mouth: "cli", by: "ada" },
  ...more,
});

export const outcomes = {
  completed: {
    status: "completed",
    answer: "There are three.",
    output: { tests: 3 },
    evidence: "claimed",
    recovered: null,
    truncated: false,
  },
  failed: { status: "failed", reason: "timeout", message: "not done after 60 s", answer: "So far: one." },
  cancelled: { status: "cancelled", by: "ada", how: "cooperative", answer: null },
} as const satisfies Record<Outcome["status"], Outcome>;

const called = {
  call: CALL,
  tool: "Read",
  effect: "read",
  input: { path: "package.json" },
  of: null,
  decision: { verdict: "allow", rule: "mode auto" },
} as const;

type EventOf<Type extends TaskEventType> = Extract<TaskEvent, { type: Type }>;

/** One event of each type. */
export const taskEvents: { readonly [Type in TaskEventType]: EventOf<Type> } = {
  "task.admitted": { type: "task.admitted", spec: sampleSpec(), number: 4, reserved: null },
  "attempt.started": {
    type: "attempt.started",
    worker: sampleWorker("one"),
    backend: "tape",
    tokenSha256: "a".repeat(64),
  },
  "attempt.suspended": { type: "attempt.suspended", on: "child" },
  "attempt.resumed": { type: "attempt.resumed" },
  "task.requeued": { type: "task.requeued", backend: "tape", because: "retry", by: "ada" },
  "task.interrupted": { type: "task.interrupted", why: "its worker died" },
  "task.ended": { type: "task.ended", outcome: outcomes.completed },
  "attempt.prepared": {
    type: "attempt.prepared",
    workspace: "/srv/project",
    confinement: { commands: "os", fileTools: "policy" },
    custody: "tracked",
    narrowed: ["what would be asked is denied"],
  },
  "workspace.kept": {
    type: "workspace.kept",
    kept: {
      mode: "worktree",
      root: "/srv/project/.cadre/worktrees/sess_a",
      base: "a".repeat(40),
      commit: "b".repeat(40),
      branch: "cadre/writer-1",
      files: 2,
      insertions: 10,
      deletions: 3,
      left: [],
    },
  },
  "attempt.ended": { type: "attempt.ended", end: "failed", reason: "timeout", message: "not done after 60 s" },
  "turn.started": { type: "turn.started", turn: 1 },
  "turn.ended": { type: "turn.ended", turn: 1 },
  "instruction.added": { type: "instruction.added", because: "nudge", text: "Go on." },
  "model.replied": {
    type: "model.replied",
    turn: 1,
    model: "anthropic/claude-haiku-5-5",
    calls: [{ id: "toolu_1", tool: "Read", input: { file_path: "a" } }],
    opaque: null,
    stop: "calls",
    usage: { inputTokens: 10, outputTokens: 2, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 },
    microUsd: null,
  },
  "model.failed": {
    type: "model.failed",
    turn: 1,
    model: "anthropic/claude-haiku-5-5",
    kind: "rate_limited",
    message: "too many requests",
    retryInMs: 1_000,
  },
  "history.compacted": { type: "history.compacted", through: 1, summary: "It looked." },
  "results.shortened": { type: "results.shortened", results: [{ call: CALL, output: "{" }] },
  "message.said": { type: "message.said", text: "I am looking." },
  "message.received": { type: "message.received", text: "Look in test.", by: "ada", control: 7 },
  "tool.called": { type: "tool.called", ...called },
  "tool.refused": { type: "tool.refused", ...called, decision: { verdict: "deny", rule: "mode plan" } },
  "tool.returned": { type: "tool.returned", call: CALL, ok: true, output: "{}", truncated: false },
  "tool.reported": {
    type: "tool.reported",
    tool: "Bash",
    effect: "exec",
    input: { command: "ls" },
    ok: true,
    output: "a.txt",
    truncated: false,
  },
  "approval.asked": {
    type: "approval.asked",
    approval: {
      id: APPROVAL,
      kind: "tool",
      title: "Explore wants to use Bash",
      body: "ls",
      sha256: "b".repeat(64),
      rule: null,
      grants: [],
      expiresAt: 9_000,
    },
  },
  "approval.answered": {
    type: "approval.answered",
    approval: APPROVAL,
    answer: { verdict: "allow", scope: "once" },
    by: "ada",
  },
  "approval.expired": { type: "approval.expired", approval: APPROVAL },
  "child.started": { type: "child.started", child: CHILD, agent: "oracle", background: false },
  "child.ended": { type: "child.ended", child: CHILD, status: "completed", summary: "42" },
  "budget.reserved": {
    type: "budget.reserved",
    reservation: RESERVATION,
    amount: { microUsd: 500, tokens: 20 },
    use: "call",
  },
  "budget.settled": {
    type: "budget.settled",
    reservation: RESERVATION,
    reserved: { microUsd: 500, tokens: 20 },
    spent: { microUsd: 300, tokens: 12 },
  },
  "gate.checked": { type: "gate.checked", gate: "output-schema", passed: false, feedback: "no number" },
  "host.refused": { type: "host.refused", host: "evil.example", port: 443, why: "this agent has no network" },
  "note.taken": { type: "note.taken", level: "warning", text: "the file is large" },
};

export const controlEvents: {
  readonly [Type in ControlEvent["type"]]: Extract<ControlEvent, { type: Type }>;
} = {
  "stop.requested": { type: "stop.requested", task: TASK, by: "ada" },
  "answer.given": {
    type: "answer.given",
    task: TASK,
    approval: APPROVAL,
    answer: { verdict: "allow", scope: "once" },
    by: "ada",
  },
  "message.sent": { type: "message.sent", task: TASK, text: "Look in test.", by: "ada" },
  "workspace.merged": { type: "workspace.merged", task: TASK, commit: "c0ffee", into: "main", by: "ada" },
  "workspace.discarded": { type: "workspace.discarded", task: TASK, by: "ada" },
};

export const sessionEvents: {
  readonly [Type in SessionEvent["type"]]: Extract<SessionEvent, { type: Type }>;
} = {
  "session.opened": { type: "session.opened", session: SESSION, agent: "Explore", parent: null, task: TASK },
  "session.continued": { type: "session.continued", session: SESSION, task: TaskId.parse("task_two") },
  "message.kept": {
    type: "message.kept",
    session: SESSION,
    message: { role: "user", content: "Find the tests.", task: TASK },
  },
  "breadcrumb.left": {
    type: "breadcrumb.left",
    session: SESSION,
    breadcrumb: { task: CHILD, session: CHILD_SESSION, agent: "oracle", status: "completed", summary: "42" },
  },
  "session.expired": { type: "session.expired", session: SESSION, by: "ada" },
};

export const inboxEvents: { readonly [Type in InboxEvent["type"]]: Extract<InboxEvent, { type: Type }> } = {
  "item.acknowledged": { type: "item.acknowledged", task: TASK, items: [InboxItemId.parse("item_7")], by: "ada" },
};

export const ended = (status: Outcome["status"]): EventOf<"task.ended"> => ({
  type: "task.ended",
  outcome: outcomes[status],
});

/** An event of each kind. */
export const eventOfKind: Readonly<Record<TaskEventKind, TaskEvent>> = {
  admitted: taskEvents["task.admitted"],
  started: taskEvents["attempt.started"],
  suspended: taskEvents["attempt.suspended"],
  resumed: taskEvents["attempt.resumed"],
  requeued: taskEvents["task.requeued"],
  interrupted: taskEvents["task.interrupted"],
  completed: ended("completed"),
  failed: ended("failed"),
  cancelled: ended("cancelled"),
  worked: taskEvents["turn.started"],
};

/** The n-th event of a log is written at this time. */
export const timeOf = (position: number): number => 1_000 + position;

/** The events of one task as a log holds them: each in its own stream, one after the other. */
export function logOf(events: readonly (TaskEvent | ControlEvent)[], task: TaskId = TASK): Envelope[] {
  const lengths = { task: 0, control: 0 };
  let attempt = 0;
  return events.map((event, index) => {
    if (event.type === "attempt.started") attempt += 1;
    const kind = "task" in event ? "control" : "task";
    lengths[kind] += 1;
    return {
      position: index + 1,
      stream: `${kind}:${task}`,
      seq: lengths[kind],
      at: timeOf(index + 1),
      attempt: kind === "task" && attempt > 0 ? attempt : null,
      event,
    };
  });
}

/** A task that was admitted and to which this has happened since. */
export const taskAfter = (...events: readonly (TaskEvent | ControlEvent)[]): TaskView =>
  foldTask(TASK, logOf([taskEvents["task.admitted"], ...events]));

const started = taskEvents["attempt.started"];

/** The shortest way to each status. */
export const taskIn = (status: TaskStatus): TaskView => taskAfter(...WAYS[status]);
const WAYS: Readonly<Record<TaskStatus, readonly TaskEvent[]>> = {
  pending: [],
  running: [started],
  waiting: [started, taskEvents["attempt.suspended"]],
  interrupted: [started, taskEvents["task.interrupted"]],
  completed: [started, ended("completed")],
  failed: [started, ended("failed")],
  cancelled: [started, ended("cancelled")],
};

// Arbitraries. Their alphabets are small on purpose, so that policies and uses of tools meet often.

const anyTools = fc.uniqueArray(fc.constantFrom("Read", "Write", "Bash", "Fetch", "Delegate"), { maxLength: 4 });

const HOSTS = ["example.com", "api.example.com", "v1.api.example.com", "example.org", "badexample.com"] as const;

const anyNetwork = fc.oneof(
  fc.boolean(),
  fc.uniqueArray(fc.constantFrom(...HOSTS, "*.example.com", "*.api.example.com", "*.com"), { maxLength: 4 }),
);

const anyEnv = fc.uniqueArray(fc.constantFrom("PATH", "HOME", "LANG", "TOKEN"));

const anyToolRules: fc.Arbitrary<ToolRules> = fc.record({
  from: fc.constantFrom("user", "agent a", "agent b"),
  allow: fc.option(anyTools, { nil: null }),
  ask: anyTools,
  deny: anyTools,
});

export const anyPolicy: fc.Arbitrary<Policy> = fc.record({
  modes: fc.uniqueArray(fc.constantFrom(...PermissionMode.options), { maxLength: 3 }),
  tools: fc.array(anyToolRules, { maxLength: 2 }),
  fs: fc.record({
    read: fc.array(anyPath, { maxLength: 3 }),
    write: fc.array(anyPath, { maxLength: 3 }),
  }),
  network: anyNetwork,
  env: fc.record({ allow: anyEnv }),
  grants: fc.constant([]),
  spawn: fc.constantFrom("allow" as const, "ask" as const),
});

export const anyToolUse: fc.Arbitrary<ToolUse> = fc.record(
  {
    tool: fc.constantFrom("Read", "Write", "Bash", "Fetch", "Delegate"),
    effect: fc.constantFrom(...Effect.options),
    path: anyPath,
    host: fc.constantFrom(...HOSTS),
  },
  { requiredKeys: ["tool", "effect"] },
);

const anyScopes = fc.array(anyPath.filter((path) => path !== ""));

/** An agent as somebody may write it, with a word on tools, files and the network or without. */
export const anyDefinition: fc.Arbitrary<AgentDefinition> = fc
  .record(
    {
      permission_mode: fc.constantFrom(...PermissionMode.options),
      tools: fc.oneof(
        anyTools,
        fc.constant<string[]>(["*"]),
        fc.record({
          mode: fc.constantFrom("allowlist" as const, "denylist" as const),
          allow: anyTools,
          deny: anyTools,
        }),
      ),
      policy: fc.record(
        {
          fs: fc.record({ read: anyScopes, write: anyScopes }, { requiredKeys: [] }),
          network: anyNetwork,
          env: fc.record({ allow: anyEnv }),
        },
        { requiredKeys: [] },
      ),
      workspace: fc.record({ allow_writes: fc.boolean() }),
    },
    { requiredKeys: [] },
  )
  .map((fields) => sampleDefinition(fields));
