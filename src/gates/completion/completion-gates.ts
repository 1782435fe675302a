import type { Gates } from "../../ports/index.ts";
import { agentGate, type ChangesOf } from "./agent-gate.ts";
import { commandGate } from "./command-gate.ts";

const REVIEWER = "reviewer";
const SUBMIT = "submit_for_review";

/** What an agent's definition wants passed before it is done. `path`: where programs are looked for. */
export const completionGates =
  (path: string, changesOf: ChangesOf): Gates =>
  ({ spec }, { exit = SUBMIT }) => {
    const { gates, exits } = spec.definition.completion;
    // Work that is submitted for review is reviewed, also where nobody says by whom.
    if (gates.length === 0 && exits?.includes(SUBMIT) === true && exit === SUBMIT)
      return [agentGate(REVIEWER, REVIEWER, changesOf)];
    return gates.map((wish) =>
      "command" in wish
        ? commandGate(wish.name ?? wish.command.join(" "), wish.command, path)
        : agentGate(wish.name ?? wish.agent, wish.agent, changesOf),
    );
  };
