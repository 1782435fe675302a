// Cadre's own loop, wired: models, tools, what is put before an agent.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ContextPiece } from "../domain/envelopes.ts";
import type { Settings } from "../domain/limits.ts";
import { CadreError } from "../errors/index.ts";
import { type LoopParts, nativeBackend } from "../loop/index.ts";
import type { ModelSettingsInput, Models } from "../models/index.ts";
import { fileMemory } from "../memory/index.ts";
import type { Attempt, Backend, Obstacle, Registry, Toolbox, Trust } from "../ports/index.ts";
import type { TaskSpec } from "../schema/index.ts";
import { clock, mint } from "./system.ts";

type Env = Readonly<Record<string, string | undefined>>;

export interface NativeOptions {
  readonly env: Env;
  readonly home: string;
  readonly project: string;
  readonly userHome: string;
  readonly registry: Registry;
  readonly trust: Trust;
  readonly models: ModelSettingsInput;
  readonly settings: Pick<Settings, "graceMs" | "maxHistory">;
  /** From whoever embeds Cadre. */
  readonly toolboxes: readonly Toolbox[];
}
