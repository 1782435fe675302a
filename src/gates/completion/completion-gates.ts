import type { Gates } from "../../ports/index.ts";
import type { Exit } from "../../schema/index.ts";
import { agentGate, type ChangesOf } from "./agent-gate.ts";
import { commandGate } from "./command-gate.ts";

const REVIEWER = "reviewer";
const SUBMIT: Exit = "submit_for_review";

/** What an agent's definition wants passed before it is done. `path`: where programs are looked for. */
export const completionGates =
  (path: string, changesOf: ChangesOf): Gates =>
  ({ spec }) => {
    const { gates, exits } = spec.definition.completion;
    // Work that can be submitted for review is reviewed, also where nobody says by whom. Any other end, a message that
    // nobody was there to reply to among them, would be a way around a reviewer who said no.
    if (gates.length === 0 && exits?.includes(SUBMIT) === true) return [agentGate(REVIEWER, REVIEWER, changesOf)];
    return gates.map((wish) =>
      "command" in wish
        ? commandGate(wish.name ?? wish.command.join(" "), wish.command, path)
        : agentGate(wish.name ?? wish.agent, wish.agent, changesOf),
    );
  };
