// A program that is known by its documents only is not taken at its word: what a policy wants of it is kept by the
// operating system, or the policy wants nothing.
import { isInScopes } from "../../domain/scopes.ts";
import type { Capabilities, Obstacle } from "../../ports/index.ts";
import type { Policy } from "../../schema/index.ts";
import { restricts } from "../driven/restricts.ts";
import type { Cli } from "./cli.ts";

export const BY_DOCUMENTS = "by its documents, never run here";

/** The least that such a program is good for: it is given a prompt, and says an answer. */
export const capabilitiesByDocuments = (usage: Capabilities["usage"], largestPromptBytes: number): Capabilities => ({
  resume: "session",
  approvals: false,
  steering: false,
  structuredOutput: false,
  toolFilter: true,
  mcpServers: false,
  usage,
  largestPromptBytes,
  processes: true,
  lastWords: false,
});

/** `isConfined`: the operating system holds what it starts to the policy. */
export function notBelieved(
  { name, known }: Pick<Cli, "name" | "known">,
  policy: Policy,
  isConfined: boolean,
): Obstacle | null {
  if (known === "tried" || isConfined || isOpen(policy)) return null;
  return {
    message: `Cadre knows ${name} ${BY_DOCUMENTS}, and nothing on this machine would hold it to the policy`,
    hint: "Install bubblewrap (cadre doctor says what is missing), use a backend that was tried, or open everything: permission_mode auto, the whole project writable, network true.",
  };
}

const isOpen = ({ modes, fs, tools, network }: Policy): boolean =>
  modes.every((mode) => mode === "auto") &&
  [fs.read, fs.write].every((scopes) => isInScopes(".", scopes)) &&
  network === true &&
  tools.every((layer) => !restricts(layer));
