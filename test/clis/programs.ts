// The CLIs that the tests drive, each in a folder of its own with its own lock file: any of them may be missing.
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

/** In the order in which they are tried, and how each is found once it is installed. */
export const PROGRAMS = ["codex", "goose", "claude", "gemini", "opencode", "qwen", "copilot"] as const;
export type Program = (typeof PROGRAMS)[number];

export const folderOf = (program: Program): string => fileURLToPath(new URL(`programs/${program}`, import.meta.url));

const binOf = (program: Program): string => join(folderOf(program), "node_modules", ".bin");

export const isInstalled = (program: Program): boolean => existsSync(join(binOf(program), program));

/** Whether this run is about it. */
export const isTried = (name: string): boolean =>
  PROGRAMS.some((program) => program === name && isInstalled(program)) &&
  (process.env["CADRE_CLIS"] ?? PROGRAMS.join()).split(",").includes(name);

/** All of them, for a PATH. */
export const BIN = PROGRAMS.map(binOf).join(delimiter);
