// Any agent that speaks the Agent Client Protocol, as a backend: those that are known by name, and any other by its
// command line.
import type { ContextPiece } from "../../domain/envelopes.ts";
import { findProgram } from "../../platform/find-program.ts";
import type { Attempt, AttemptScope, Backend, BackendEnd, Clock, FoundBackend, Mint } from "../../ports/index.ts";
import { BY_DOCUMENTS } from "../cli/by-documents.ts";
import type { OwnToolsFor } from "../own-tools/own-tools-for.ts";
import type { ReadCommand } from "./command-lines.ts";
import { obstacleFor } from "./obstacle.ts";
import { given, type Lookup } from "./peer-environment.ts";
import { type Preset, PRESETS } from "./presets.ts";
import { runPeer } from "./run-peer.ts";

export interface AcpOptions {
  /** Where Cadre keeps its state. */
  readonly home: string;
  readonly clock: Clock;
  readonly mint: Mint;
  /** Cadre's own version, which the peer is told. */
  readonly version: string;
  readonly lookup: Lookup;
  /** Whether the operating system holds programs to a policy here. */
  readonly isConfined?: boolean | undefined;
  /** Reads a line for the shell. Without it no line is understood, and so rules on commands ask. */
  readonly readCommand?: ReadCommand | undefined;
  /** What is put before an agent beside its task. */
  readonly contextFor?: ((attempt: Attempt) => Promise<readonly ContextPiece[]>) | undefined;
  /** False: its key is given to the peer itself also where it could be kept from it. */
  readonly keyGateway?: boolean | undefined;
  /** Exits, and what an agent delegates with. Absent: agents that need them are refused. */
  readonly ownTools?: OwnToolsFor | undefined;
}

export const acpBackend = (options: AcpOptions): Backend[] => PRESETS.map((preset) => backendOf(preset, options));

function lookAt({ command, needs, known }: Preset, lookup: Lookup): FoundBackend {
  const found = findProgram(command?.[0] ?? "", { cwd: "/", path: lookup("PATH") });
  if (!found.ok) return { isThere: false, says: found.problem, fix: null };
  const says = known === "documents" ? `${found.file} (${BY_DOCUMENTS})` : found.file;
  if (needs === undefined || Object.keys(given(needs, lookup)).length > 0) return { isThere: true, says, fix: null };
  return { isThere: true, says: `${says}, without a key`, fix: `Set ${needs.join(" or ")}` };
}

const backendOf = (preset: Preset, options: AcpOptions): Backend => ({
  name: preset.name,
  capabilities: {
    resume: "session",
    approvals: true,
    steering: true,
    structuredOutput: false,
    // Held to it by asking, or by a mode that only reads; `obstacle` refuses lists that neither could keep.
    toolFilter: true,
    mcpServers: true,
    usage: "at-end",
    largestPromptBytes: 4 * 1024 * 1024,
    processes: true,
    lastWords: false,
  },
  ...(preset.command === undefined ? {} : { look: async () => lookAt(preset, options.lookup) }),
  obstacle: async (spec, isMoneyLimited) =>
    obstacleFor(preset, spec, isMoneyLimited, {
      lookup: options.lookup,
      isConfined: options.isConfined ?? false,
      hasOwnTools: options.ownTools !== undefined,
    }),
  run: (attempt: Attempt, scope: AttemptScope): Promise<BackendEnd> => runPeer(preset, options, attempt, scope),
});
