// What becomes of one definition on each CLI: refused, or started with these files and arguments.
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Cli } from "../../../src/backends/cli/cli.ts";
import { cliBackend } from "../../../src/backends/cli/cli-backend.ts";
import { BASELINE } from "../../../src/domain/policy.ts";
import type { Definition } from "../../engine/kit.ts";
import { optionsFor, type Started, transcript, withStub } from "./kit.ts";

export interface Compiled {
  readonly refused: string | undefined;
  readonly narrowed: readonly string[];
  readonly started: Started | undefined;
  readonly project: string;
  /** A file of the CLI's home. */
  readonly file: (path: string) => string;
}

export async function compiled(cli: Cli, agent: Partial<Definition>, ...folders: string[]): Promise<Compiled> {
  const play = { says: transcript(cli, "text"), isDialogue: cli.name === "claude" };
  const isConfined = cli.known === "documents";
  await using world = await withStub(cli, [play], { agent, baseline: { ...BASELINE, network: true }, isConfined });
  const { project } = world;
  for (const folder of folders) mkdirSync(join(project, folder), { recursive: true });
  try {
    const { spec } = await world.engine.run({ agent: "worker" });
    const home = join(world.home, "sessions", `${spec.session}.home`, cli.name);
    const texts = new Map<string, string>();
    for (const path of FILES) if (existsSync(join(home, path))) texts.set(path, readFileSync(join(home, path), "utf8"));
    return {
      refused: undefined,
      narrowed: cliBackend(cli, optionsFor(cli, "/nowhere", project)).narrowed(spec),
      started: world.started()[0],
      project,
      file: (path) => texts.get(path) ?? "",
    };
  } catch (error) {
    const refused = error instanceof Error ? error.message : String(error);
    return { refused, narrowed: [], started: undefined, project, file: () => "" };
  }
}

const FILES = [
  ".codex/config.toml",
  ".gemini/settings.json",
  ".gemini/CADRE.md",
  "cadre-policy.toml",
  "instructions.md",
  ".cursor/cli-config.json",
  ".factory/settings.json",
  "prompt.md",
  "amp-settings.json",
  ".kiro/agents/cadre.json",
];

const OPEN = { workspace: { mode: "shared", allow_writes: true }, policy: { network: false } } as const;

/** Definitions as people write them. */
export const AGENTS = {
  silent: { policy: { network: false } },
  reader: { tools: ["Read", "Glob", "Grep", "List"], permission_mode: "plan" },
  editor: { ...OPEN, permission_mode: "acceptEdits" },
  free: { ...OPEN, permission_mode: "auto" },
  online: { ...OPEN, permission_mode: "auto", policy: { network: true } },
  "rule on commands": { ...OPEN, permission_mode: "auto", tools: ["Read", "Glob", "Grep", "List", "Bash(git diff *)"] },
  "no secrets": {
    permission_mode: "auto",
    policy: { network: false },
    tools: { mode: "denylist", deny: ["Read(secrets/**)"] },
  },
  "no rm": { ...OPEN, permission_mode: "auto", tools: { mode: "denylist", deny: ["Bash(rm *)"] } },
  "docs only": { permission_mode: "acceptEdits", policy: { network: false, fs: { read: ["docs"], write: ["docs"] } } },
  "no tools": { tools: [] },
} satisfies Record<string, Partial<Definition>>;
