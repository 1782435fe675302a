// Every way to run an attempt that comes with Cadre.
import { acpBackend } from "../backends/acp/acp-backend.ts";
import { amp } from "../backends/amp/amp.ts";
import { claude } from "../backends/claude/claude.ts";
import { cliBackend } from "../backends/cli/cli-backend.ts";
import { codex } from "../backends/codex/codex.ts";
import { commandBackend } from "../backends/command/command-backend.ts";
import { cursor } from "../backends/cursor/cursor.ts";
import { droid } from "../backends/droid/droid.ts";
import { gemini } from "../backends/gemini/gemini.ts";
import { kiro } from "../backends/kiro/kiro.ts";
import type { OwnToolsFor } from "../backends/own-tools/own-tools-for.ts";
import { tapeBackend } from "../backends/tape/tape-backend.ts";
import { nativeBackend } from "../loop/index.ts";
import type { OpenedLoop } from "./native.ts";
import type { Attempt, Backend, ModelUsage, Registry } from "../ports/index.ts";
import { understand } from "../tools/bash/shell-grammar.ts";
import { clock, mint } from "./system.ts";
import type { Env } from "./user-keys.ts";
import { packageVersion } from "./version.ts";

export interface BackendOptions {
  readonly home: string;
  readonly project: string;
  readonly userHome: string;
  readonly env: Env;
  readonly keyGateway: boolean;
  /** Whether the operating system may well confine programs. What really holds is found out by the attempt. */
  readonly isConfined: boolean;
  /** The variables of models, from the user's own config. */
  readonly secretNames: () => Promise<readonly string[]>;
  readonly registry: Registry;
  /** Opened when something runs on it, or needs what is put before an agent. */
  readonly loop: () => Promise<OpenedLoop>;
}

export function openBackends({
  home,
  project,
  userHome,
  env,
  keyGateway,
  isConfined,
  secretNames,
  registry,
  loop,
}: BackendOptions): Backend[] {
  const priceOf = async (model: string, usage: ModelUsage) => (await loop()).priceOf(model, usage);
  const contextFor = async (attempt: Attempt) => (await loop()).contextFor(attempt);
  const servers = async () => (await loop()).servers;
  const ownTools: OwnToolsFor = async (...of) => (await import("./own-tools.ts")).ownToolsFor(registry, servers)(...of);
  const cli = {
    home,
    project,
    userHome,
    env,
    readCommand: understand,
    priceOf,
    contextFor,
    ownTools,
    keyGateway,
    isConfined,
  };
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
      contextFor,
      ownTools,
      keyGateway,
      isConfined,
    }),
    // Last: none of these is chosen by itself where another is there.
    ...[cursor, droid, amp, kiro].map((program) => cliBackend(program, cli)),
  ];
}
