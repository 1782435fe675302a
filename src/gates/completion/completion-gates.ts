import type { Gate, Gates } from "../../ports/index.ts";
import type { GateWish } from "../../schema/index.ts";
import { agentGate } from "./agent-gate.ts";
import { commandGate } from "./command-gate.ts";

const REVIEWER = "reviewer";

/** What an agent's definition wants passed before it is done. `path`: where programs are looked for. */
export const completionGates =
  (path: string): Gates =>
  ({ spec }) => {
    const { gates, exits } = spec.definition.completion;
    // Work that is submitted for review is reviewed, also where nobody says by whom.
    if (gates.length === 0 && exits?.includes("submit_for_review") === true) return [agentGate(REVIEWER, REVIEWER)];
    return gates.map((wish) => gateOf(wish, path));
  };

const gateOf = (wish: GateWish, path: string): Gate =>
  "command" in wish
    ? commandGate(wish.name ?? wish.command.join(" "), wish.command, path)
    : agentGate(wish.name ?? wish.agent, wish.agent);
