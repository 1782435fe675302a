// Many tasks at once: all of them are admitted, or none.
import * as z from "zod";
import { admit } from "../engine/admit.ts";
import type { Engine, TaskRequest } from "../engine/index.ts";
import { CadreError } from "../errors/index.ts";
import type { Store } from "../ports/index.ts";
import { AgentName, BackendName, JsonObject, TaskView } from "../schema/index.ts";
import { defineOperation } from "./operation.ts";

/** One row of a batch, as people write it into a file. */
export const BatchRow = z.strictObject({
  agent: AgentName.describe("who does it"),
  prompt: z.string().min(1).describe("what is to be done"),
  inputs: JsonObject.optional().describe("what the agent declares as its inputs"),
  description: z.string().optional().describe("a few words for people who look at the result"),
  backend: BackendName.optional().describe("run it on this backend"),
});
export type BatchRow = z.infer<typeof BatchRow>;

const MOST = 1000;
export const Batch = z.array(BatchRow).min(1).max(MOST);

export const startTasks = defineOperation({
  authority: "agent",
  summary: "Give agents many tasks at once. All of them are queued, or none.",
  input: z.strictObject({ tasks: Batch }),
  output: z.strictObject({ tasks: z.array(TaskView) }),
  async run({ engine, caller }, { tasks }) {
    const origin = { mouth: caller.mouth, by: caller.by };
    const requests = tasks.map(({ agent, prompt, inputs, backend }): TaskRequest => {
      return { agent, prompt, inputs, backend, askable: caller.askable, origin };
    });
    const refusals = await refusalsOf(engine, requests, caller.inside);
    if (refusals.length > 0) throw refusalOf(refusals, tasks.length);
    return { tasks: [...(await engine.admit(requests, caller.inside))] };
  },
});

interface Refusal {
  readonly index: number;
  readonly error: CadreError;
}

const admitNothing: Store["admit"] = async () => ({ kind: "admitted", tasks: [] });

/** Every request is put to admission alone, on a store that writes nothing: the real one names the first only. */
async function refusalsOf(
  { parts }: Engine,
  requests: readonly TaskRequest[],
  parent: TaskView | null,
): Promise<Refusal[]> {
  const store = new Proxy(parts.store, {
    get: (real, name) => (name === "admit" ? admitNothing : Reflect.get(real, name)),
  });
  const checks = requests.map(async (request, index): Promise<Refusal[]> => {
    try {
      await admit({ ...parts, store }, [request], parent);
      return [];
    } catch (error) {
      if (!CadreError.isInstance(error)) throw error;
      return [{ index, error }];
    }
  });
  return (await Promise.all(checks)).flat();
}

/** One error of the first one's kind that names them all. */
function refusalOf(refusals: readonly Refusal[], count: number): CadreError {
  const [first] = refusals;
  if (first === undefined) throw new Error("nothing was refused");
  const each = refusals.map(({ index, error }) => `[${index}] ${error.message}`).join("; ");
  return new CadreError(
    first.error.code,
    `${refusals.length} of ${count} tasks cannot be started, so none was: ${each}`,
    {
      hint: first.error.hint,
      facts: Object.fromEntries(refusals.map(({ index, error }) => [`task ${index}`, error.message])),
    },
  );
}
