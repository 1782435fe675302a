import type { ContextPiece } from "../../domain/envelopes.ts";
import type { Attempt } from "../../ports/index.ts";
import type { ModelUsage } from "../../schema/index.ts";
import type { OwnToolsFor } from "../own-tools/own-tools-for.ts";
import type { ReadCommand } from "./cli.ts";
import type { Surroundings } from "./find-cli.ts";

export interface CliOptions extends Surroundings {
  /** Cadre's home: sessions lie in it. */
  readonly home: string;
  /** The folder that a policy's paths are relative to. */
  readonly project: string;
  /** What is put before an agent beside its task. */
  readonly contextFor?: ((attempt: Attempt) => Promise<readonly ContextPiece[]>) | undefined;
  /** Exits, and what an agent delegates with. Absent: agents that need them are refused. */
  readonly ownTools?: OwnToolsFor | undefined;
  /** What a line for a shell would run. Absent: nothing is understood, so rules about commands never let one pass. */
  readonly readCommand?: ReadCommand | undefined;
  /** The whole name of a model (`provider/model`). Throws where there is none. */
  readonly resolveModel?: ((name: string) => string) | undefined;
  /** Whether the operating system may well confine programs. What really holds is found out by the attempt. */
  readonly isConfined?: boolean | undefined;
  /** False: its key is given to the CLI itself also where it could be kept from it. */
  readonly keyGateway?: boolean | undefined;
  /** In millionths of a US dollar; `null`: not known. For CLIs that count tokens only. */
  readonly priceOf?: ((model: string, usage: ModelUsage) => Promise<number | null>) | undefined;
}
