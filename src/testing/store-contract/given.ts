// The same few things that every case of the contract needs.
import { BASELINE } from "../../domain/policy.ts";
import type { Admission, ClaimRequest, Hold, ReserveAnswer, Store } from "../../ports/index.ts";
import {
  AgentDefinition,
  brandId,
  type Cost,
  type ReservationId,
  type ReservationUse,
  type SessionId,
  type TaskId,
  type TaskSpec,
  type TaskView,
} from "../../schema/index.ts";

let count = 0;
/** Sorts by the order it was made in, as real ids do. */
const next = (): string => String(++count).padStart(8, "0");

export const someTaskId = (): TaskId => brandId("task", next());
export const someSession = (): SessionId => brandId("sess", next());
export const someReservation = (): ReservationId => brandId("rsrv", next());

export const WORKER_A = worker("a");
export const WORKER_B = worker("b");

function worker(name: string) {
  return { id: brandId("work", name), host: "h", bootId: "b", pidNamespace: "p", pid: 1, startTime: name };
}

export function admission(change: Partial<TaskSpec> = {}, rest: Partial<Admission> = {}): Admission {
  const id = rest.id ?? someTaskId();
  const definition = AgentDefinition.parse({ name: "worker", description: "works", tape: [{ answer: "done" }] });
  return {
    id,
    continues: false,
    reserve: "none",
    reservation: someReservation(),
    maxPerRoot: 64,
    isAwaited: false,
    ...rest,
    spec: {
      definition,
      prompt: "do it",
      inputs: {},
      instructions: "",
      session: someSession(),
      parent: null,
      call: null,
      root: id,
      depth: 0,
      background: false,
      dispatch: "auto",
      priority: 0,
      notBefore: null,
      backends: ["tape"],
      needs: [],
      policy: BASELINE,
      workspace: definition.workspace,
      model: null,
      limits: { timeoutMs: 60_000, maxTurns: 10, maxOutputKb: 10, budget: { microUsd: null, tokens: null } },
      askable: "inbox",
      origin: { mouth: "test", by: "tester" },
      ...change,
    },
  };
}

export async function admitted(
  store: Store,
  change: Partial<TaskSpec> = {},
  rest: Partial<Admission> = {},
): Promise<TaskView> {
  const answer = await store.admit([admission(change, rest)]);
  if (answer.kind === "refused") throw new Error(`refused: ${JSON.stringify(answer.refusal)}`);
  const [task] = answer.tasks;
  if (task === undefined) throw new Error("nothing was admitted");
  return task;
}

export const claimRequest = (change: Partial<ClaimRequest> = {}): ClaimRequest => ({
  worker: WORKER_A,
  most: 1,
  tokenSha256: () => "hash",
  dispatch: ["auto"],
  backends: ["tape"],
  has: [],
  maxConcurrent: 10,
  rateLimitPerMin: 1000,
  ...change,
});

export async function claimed(store: Store, change: Partial<ClaimRequest> = {}): Promise<Hold> {
  const answer = await store.claim(claimRequest(change));
  const [claim] = answer.kind === "claimed" ? answer.claims : [];
  if (claim === undefined) throw new Error(`not claimed: ${JSON.stringify(answer)}`);
  return claim.hold;
}

/** A task that is running, and the hold on it. */
export async function running(
  store: Store,
  change: Partial<TaskSpec> = {},
  rest: Partial<Admission> = {},
): Promise<Hold> {
  const task = await admitted(store, change, rest);
  return claimed(store, { root: task.spec.root });
}

export const completed = {
  status: "completed",
  answer: "done",
  output: null,
  evidence: "claimed",
  recovered: null,
  truncated: false,
} as const;

export async function reserve(
  store: Store,
  hold: Hold,
  reservation: ReservationId,
  amount: Cost | "whole",
  use: ReservationUse = "call",
  share?: number,
): Promise<ReserveAnswer | undefined> {
  const { reserved } = await store.append(hold, [{ type: "reserve", reservation, amount, use, share }]);
  return reserved[0];
}

export const settle = (store: Store, hold: Hold, reservation: ReservationId, spent: Cost) =>
  store.append(hold, [{ type: "settle", reservation, spent }]);
