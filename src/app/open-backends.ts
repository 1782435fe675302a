// Every way to run an attempt that comes with Cadre.
import { acpBackend } from "../backends/acp/acp-backend.ts";
import { claude } from "../backends/claude/claude.ts";
import { cliBackend } from "../backends/cli/cli-backend.ts";
import { codex } from "../backends/codex/codex.ts";
import { commandBackend } from "../backends/command/command-backend.ts";
import { gemini } from "../backends/gemini/gemini.ts";
import { tapeBackend } from "../backends/tape/tape-backend.ts";
import { nativeBackend } from "../loop/index.ts";
import type { OpenedLoop } from "./native.ts";
import type { Backend, ModelUsage } from "../ports/index.ts";
import { understand } from "../tools/bash/shell-grammar.ts";
import { clock, mint } from "./system.ts";
import type { Env } from "./user-keys.ts";
import { packageVersion } from "./version.ts";

export interface BackendOptions {
  readonly home: string;
  readonly project: string;
  readonly userHome: string;
  readonly env: Env;
  readonly maxHistory: number;
  /** The variables of models, from the user's own config. */
  readonly secretNames: () => Promise<readonly string[]>;
  /** Opened when something runs on it, or needs what is put before an agent. */
  readonly loop: () => Promise<OpenedLoop>;
}

export function openBackends({
  home,
  project,
  userHome,
  env,
  maxHistory,
  secretNames,
  loop,
}: BackendOptions): Backend[] {
  const priceOf = async (model: string, usage: ModelUsage) => (await loop()).priceOf(model, usage);
  const cli = { home, project, userHome, env, readCommand: understand, priceOf };
  return [
    nativeBackend(loop, secretNames),
    tapeBackend(),
    commandBackend({ home }),
    ...[claude, codex, gemini].map((program) => cliBackend(program, cli)),
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
