// State files, brought in line with the log, both ways, when a worker starts.
import type { Engine } from "../engine/index.ts";
import { CadreError } from "../errors/index.ts";
import type { Trust } from "../ports/index.ts";
import { removeHatches } from "./hatch.ts";
import { type ForeignWish, readForeignStates, repairStateFiles } from "../stores/state-files/index.ts";
import type { StateFileOptions } from "../stores/state-files/index.ts";

/**
 * What others dropped or edited is taken up first, but only in a trusted folder: whoever can write a file
 * there can start an agent. Then the files are made to show what the log says.
 */
export async function syncStateFiles(engine: Engine, trust: Trust, options: StateFileOptions): Promise<void> {
  const { store } = engine.parts;
  if (await trust.isTrusted(options.layout.project)) {
    const { wishes, problems } = await readForeignStates(store, options);
    for (const problem of problems) options.onProblem(problem);
    for (const wish of wishes) await follow(engine, wish, options);
  }
  await repairStateFiles(store, options);
  await removeHatches(store, options.layout.home);
}

async function follow(engine: Engine, wish: ForeignWish, { onProblem }: StateFileOptions): Promise<void> {
  const by = "a state file";
  try {
    if (wish.kind === "stop") await engine.stop(wish.task, by);
    else {
      const { id, agent, prompt } = wish;
      await engine.admit(
        [{ id, agent, prompt, dispatch: "manual", askable: "inbox", origin: { mouth: "file", by } }],
        null,
      );
    }
  } catch (error) {
    if (!CadreError.isInstance(error)) throw error;
    onProblem(`${wish.kind === "start" ? wish.id : wish.task}: ${error.message}`);
  }
}
