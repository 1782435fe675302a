// Every way to run an attempt that comes with Cadre.
import { acpBackend } from "../backends/acp/acp-backend.ts";
import { commandBackend } from "../backends/command/command-backend.ts";
import { tapeBackend } from "../backends/tape/tape-backend.ts";
import { type LoopParts, nativeBackend } from "../loop/index.ts";
import type { Backend } from "../ports/index.ts";
import { understand } from "../tools/bash/shell-grammar.ts";
import { clock, mint } from "./system.ts";
import type { Env } from "./user-keys.ts";
import { packageVersion } from "./version.ts";

export interface BackendOptions {
  readonly home: string;
  readonly env: Env;
  readonly maxHistory: number;
  /** Opened when something runs on it, or needs what is put before an agent. */
  readonly loop: () => Promise<LoopParts>;
}

export function openBackends({ home, env, maxHistory, loop }: BackendOptions): Backend[] {
  return [
    nativeBackend(loop),
    tapeBackend(),
    commandBackend({ home }),
    ...acpBackend({
      home,
      clock,
      mint,
      version: packageVersion(),
      lookup: (name) => env[name],
      readCommand: understand,
      maxHistory,
      contextFor: async (attempt) => (await loop()).contextFor(attempt),
    }),
  ];
}
