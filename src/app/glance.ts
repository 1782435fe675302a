// A look at the tasks of a home, for whoever only wants to see them: no engine, no schemas, no settings.
// Whatever takes more than reading is left to `openCadre`. So nothing here may import what builds schemas:
// that alone takes longer than the look.
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { waitsForResident } from "../domain/for-resident.ts";
import { statusWord } from "../domain/status-words.ts";
import type { TaskQuery } from "../ports/index.ts";
import type { TaskStatus, TaskView, Worker } from "../schema/index.ts";
import { type ReadTasks, readTasks } from "../stores/sqlite/read-tasks.ts";
import { makeLayout } from "../stores/state-files/layout.ts";
import { ATTEMPT_VARIABLE } from "./attempt-variables.ts";
import { findHome } from "./find-home.ts";

export interface Glance {
  readonly tasks: readonly TaskView[];
  /** A status in the words of this home's layout. */
  statusWord(status: TaskStatus): string;
}

/**
 * `undefined` where a look is not enough: nothing is there yet, the store has another shape, a worker has died
 * and what it held is to be interrupted, something waits for a worker that is to be started, or the caller is inside of an attempt and may not see everything.
 */
export async function glance(
  told: string | undefined,
  query: TaskQuery,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Glance | undefined> {
  if (env[ATTEMPT_VARIABLE] !== undefined) return undefined;
  const { home, project } = findHome({ home: told, cwd: process.cwd(), env, userHome: homedir() });
  const file = join(home, "cadre.db");
  const found = existsSync(file) ? readTasks(file, query) : undefined;
  if (found === undefined || (await isAnyDead(found.holders)) || (await isLeftAlone(found))) return undefined;
  const { dialect } = makeLayout(home, project);
  return { tasks: found.tasks, statusWord: (status) => statusWord(status, dialect) };
}

/** Whether something waits for a resident that does not live. */
async function isLeftAlone({ queued, resident }: ReadTasks): Promise<boolean> {
  if (!queued.some((task) => waitsForResident(task, Date.now()))) return false;
  return resident === undefined || isAnyDead([resident]);
}

async function isAnyDead(holders: readonly Worker[]): Promise<boolean> {
  if (holders.length === 0) return false;
  const { checkIdentity } = await import("../platform/process-identity.ts");
  for (const { id: _id, ...identity } of holders) if ((await checkIdentity(identity)) === "dead") return true;
  return false;
}
