import { agentNotFound, type CadreError } from "../errors/index.ts";
import { agentKey } from "./agent-names.ts";
import { nearest } from "./nearest.ts";

/** As much of a registry's listing as is looked at. */
interface Listed {
  readonly agents: readonly { readonly definition: { readonly name: string } }[];
  readonly problems: readonly { readonly source: string; readonly message: string }[];
}

/** For a name that nobody has: perhaps its file is there, and has a mistake. */
export function missingAgent(name: string, { agents, problems }: Listed): CadreError {
  const names = agents.map(({ definition }) => definition.name);
  const unread = problems.find(({ source }) => agentKey(fileName(source)) === agentKey(name));
  return agentNotFound(name, nearest(name, names), unread);
}

const fileName = (path: string): string => /([^/\\]+?)(?:\.agent)?(?:\.[^./\\]*)?$/.exec(path)?.[1] ?? path;
