// A store that shows itself as files in a folder of its own.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Store } from "../../src/ports/index.ts";
import { brandId, type TaskId } from "../../src/schema/index.ts";
import { makeLayout, type StateFileOptions, withStateFiles } from "../../src/stores/state-files/index.ts";
import { type FakeClock, fakeClock, memoryStore } from "../../src/testing/index.ts";
import { freshFolder } from "../fresh-folder.ts";

export const temporaryFolder = (): string => freshFolder("state");

type Json = Record<string, unknown>;

export interface Shown extends StateFileOptions {
  readonly store: Store;
  /** The same store without files, as if its process were killed after each commit. */
  readonly bare: Store;
  readonly clock: FakeClock;
  readonly problems: string[];
  /** Paths are below the home. */
  readonly path: (file: string) => string;
  readonly text: (file: string) => string;
  readonly lines: (file: string) => string[];
  readonly json: (file: string) => Json;
  readonly write: (file: string, content: string | Json) => void;
  readonly has: (file: string) => boolean;
  readonly list: (folder: string) => string[];
}

export function shown({ home = ".cadre", clock = fakeClock(), inner = memoryStore(clock) } = {}): Shown {
  const project = temporaryFolder();
  const layout = makeLayout(join(project, home), project);
  const problems: string[] = [];
  const options = { layout, clock, onProblem: (message: string) => void problems.push(message) };
  const path = (file: string) => join(layout.home, file);
  const text = (file: string) => readFileSync(path(file), "utf8");
  return {
    ...options,
    store: withStateFiles(inner, options),
    bare: inner,
    problems,
    path,
    text,
    lines: (file) => text(file).trimEnd().split("\n"),
    json: (file) => JSON.parse(text(file)) as Json,
    write(file, content) {
      mkdirSync(dirname(path(file)), { recursive: true });
      writeFileSync(path(file), typeof content === "string" ? content : JSON.stringify(content));
    },
    has: (file) => existsSync(path(file)),
    list: (folder) => (existsSync(path(folder)) ? readdirSync(path(folder)).toSorted() : []),
  };
}

/** Whether a command of the shell succeeded; `$0`, `$1`… are what it is given. */
export const shell = (command: string, ...args: string[]): boolean =>
  spawnSync("bash", ["-c", command, ...args]).status === 0;

export const taskId = (rest: string): TaskId => brandId("task", rest);

/** What a person, or a program that knows the layout, would drop into the folder of tasks. */
export const dropped = (id: string, change: Json = {}): Json => ({
  taskId: id,
  status: "pending",
  agent: "coder-agent",
  prompt: "Write a function",
  planFile: `.gemini/agents/plans/${id}_plan.md`,
  logFile: `.gemini/agents/logs/${id}.log`,
  createdAt: "2025-07-26T00:00:00Z",
  ...change,
});
