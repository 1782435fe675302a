// Cadre as a program in a sandbox has it: everything is asked of the worker outside, through the attempt's hatch. What
// needs the store itself is not there.
import { CadreError, needsStore } from "../errors/index.ts";
import { goesOn } from "../domain/transitions.ts";
import { statusWord } from "../domain/status-words.ts";
import type { OperationInput, OperationName, OperationOutput } from "../operations/index.ts";
import { gitDiff } from "../platform/git-diff.ts";
import { sendLetter } from "../platform/letter-box.ts";
import { makeLayout } from "../stores/state-files/index.ts";
import type { Envelope, TaskView } from "../schema/index.ts";
import { TOKEN_VARIABLE } from "./attempt-variables.ts";
import type { Cadre } from "./cadre.ts";
import type { Home } from "./find-home.ts";
import { Answered } from "./hatch.ts";
import { stopOnAbort } from "./stop-on-abort.ts";

/** How long one question waits. The one after it asks again. */
const WAIT_MS = 10_000;
const PAGE = 200;

export function hatchFace(
  hatch: string,
  { home, project }: Home,
  env: Readonly<Record<string, string | undefined>>,
): Cadre {
  const layout = makeLayout(home, project);
  const cadre: Cadre = {
    home,
    project,
    statusWord: (status) => statusWord(status, layout.dialect),
    // The sandbox shows the project alone, and nothing of the home in it.
    diff: (against) => gitDiff(project, { against, of: "folder", without: [home] }),
    rawLog: () => null,
    watchAgents: () => Promise.reject(outside("watching agents")),
    backends: () => Promise.reject(outside("looking at backends")),
    models: () => Promise.reject(outside("looking at models")),
    custodyTier: () => Promise.reject(outside("looking at custody")),
    confinement: () => Promise.reject(outside("looking at confinement")),
    call: (operation, input) => ask(hatch, env[TOKEN_VARIABLE] ?? "", operation, input),
    start: (request) => cadre.call("task.start", request),
    run: async (request, signal) => cadre.finish(await cadre.start(request), signal),
    async finish(task, signal) {
      using _stop = stopOnAbort(cadre, task.id, signal);
      let view = task;
      while (goesOn(view)) view = await cadre.call("task.wait", { task: task.id, waitMs: WAIT_MS });
      return view;
    },
    tail: (root, { after = root.firstPosition - 1 } = {}) => tail(cadre, root, after),
    // The worker that runs this attempt is there.
    ensureWorker: async () => undefined,
    wakeWorker: async () => undefined,
    syncFiles: async () => undefined,
    reside: () => Promise.reject(outside("working")),
    work: () => Promise.reject(outside("working")),
    close: async () => undefined,
    [Symbol.asyncDispose]: async () => undefined,
  };
  return cadre;
}

const outside = (what: string): CadreError =>
  needsStore(what, "Do this outside of any running agent. In here agents can be run, and their tasks be seen.");

/** Of the task itself; what lies below it is not followed. */
async function* tail(cadre: Cadre, { id }: TaskView, from: number): AsyncGenerator<Envelope> {
  for (let after = from; ;) {
    const task = await cadre.call("task.get", { task: id });
    const { events } = await cadre.call("task.events", { task: id, after, limit: PAGE });
    for (const envelope of events) {
      after = envelope.position;
      yield envelope;
    }
    if (events.length === PAGE) continue;
    if (!goesOn(task)) return;
    await cadre.call("task.wait", { task: id, waitMs: 1_000 });
  }
}

async function ask<Name extends OperationName>(
  hatch: string,
  token: string,
  operation: Name,
  input: OperationInput<Name>,
): Promise<OperationOutput<Name>> {
  const answered = Answered.parse(JSON.parse(await sendLetter(hatch, JSON.stringify({ token, operation, input }))));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own worker has made that output
  if ("value" in answered) return answered.value as OperationOutput<Name>;
  const { code, message, hint } = answered.error;
  throw code === undefined ? new Error(message) : new CadreError(code, message, { hint });
}
