// Backends that are left alone for a while, because whoever they reach has limited them or was not there.
import { isLimit } from "../domain/cool-downs.ts";
import type { Backend, HeldEvent } from "../ports/index.ts";
import type { BackendName, Outcome, TaskSpec, TaskView } from "../schema/index.ts";
import type { EngineParts } from "./parts.ts";
import type { RunResult } from "./run-backend.ts";

/** Two backends with one key are limited together; one that is logged in by itself is limited alone. */
async function accountOf({ name, secrets }: Backend, spec: TaskSpec): Promise<string> {
  const keys = (await secrets?.neededBy(spec)) ?? [];
  return keys.length === 0 ? name : keys.toSorted().join("+");
}

/** Those of them that are not to be chosen now, unless somebody names them. */
export async function coolingAmong(
  { store, backends }: EngineParts,
  names: readonly BackendName[],
  spec: TaskSpec,
): Promise<ReadonlySet<BackendName>> {
  const accounts = new Set((await store.coolDowns()).map(({ account }) => account));
  if (accounts.size === 0) return new Set();
  const known = names.map((name) => backends.get(name)).filter((backend) => backend !== undefined);
  const cooling = await Promise.all(known.map(async (one) => accounts.has(await accountOf(one, spec))));
  return new Set(known.filter((_backend, index) => cooling[index]).map(({ name }) => name));
}

/** After an attempt that was limited: what the log says of it. A tape or a program of the user's own has no limits. */
export async function coolDown(
  { store, backends }: EngineParts,
  { spec, backend: name }: TaskView,
  outcome: Outcome,
  result: RunResult,
): Promise<HeldEvent[]> {
  const backend = backends.get(name);
  if (backend === undefined || (backend.secrets === undefined && backend.look === undefined)) return [];
  if (outcome.status !== "failed" || !isLimit(outcome.reason)) return [];
  const retryAfterMs = result.kind === "failed" ? result.retryAfterMs : undefined;
  const limited = { account: await accountOf(backend, spec), backend: name, why: outcome.message, retryAfterMs };
  const { until, account } = await store.coolDown(limited);
  const whose = account === name ? name : `${name} (${account})`;
  const text = `${whose} is not chosen by itself until ${new Date(until).toISOString()}`;
  return [{ type: "note.taken", level: "info", text }];
}
