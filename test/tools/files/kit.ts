// The file tools of one attempt in a project of its own, with real files and the real program.
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { trackedCustody } from "../../../src/custody/index.ts";
import { findRipgrep } from "../../../src/platform/find-ripgrep.ts";
import { systemClock } from "../../../src/platform/system-clock.ts";
import type { Attempt, AttemptScope, Clock, Tool, ToolPlan, ToolResult } from "../../../src/ports/index.ts";
import { brandId, type Json, type ToolRules } from "../../../src/schema/index.ts";
import { fileTools } from "../../../src/tools/files/file-tools.ts";

const PIPE_MAKER = "mkfifo"; // of every POSIX system

export const ripgrep = await findRipgrep();

export interface KitOptions {
  readonly read?: readonly string[];
  readonly rules?: readonly ToolRules[];
  /** Of the project: where the attempt works. */
  readonly workspace?: string;
  readonly ripgrep?: string | undefined;
  /** Where the home is; beside the project unless told. */
  readonly home?: (project: string) => string;
  readonly clock?: Clock;
  readonly attempt?: Partial<Attempt>;
}

export interface Kit extends AsyncDisposable {
  /** What holds the project, and a secret beside it. */
  readonly outside: string;
  readonly project: string;
  readonly root: string;
  readonly own: Attempt["own"];
  readonly stop: AbortController;
  tool(name: string): Tool;
  plan(name: string, input: Json): ToolPlan;
  run(name: string, input: Json): Promise<ToolResult>;
  /** The text of a call that has to work. */
  text(name: string, input: Json): Promise<string>;
  /** What is known of a call after its worker's death. */
  reattach(name: string, input: Json): Promise<ToolResult | undefined>;
  /** The text of a call that has to fail. */
  problem(name: string, input: Json): Promise<string>;
  put(files: Readonly<Record<string, string | Uint8Array>>): Promise<void>;
  link(target: string, path: string): Promise<void>;
  /** A named pipe that nobody writes to. */
  pipe(path: string): void;
  /** The tools of another attempt on the same files. */
  again(): Promise<readonly Tool[]>;
}

const call = brandId("call", "1");
let opened = 0;

export async function kit(options: KitOptions = {}): Promise<Kit> {
  const outside = await realpath(await mkdtemp(join(tmpdir(), "cadre-tools-")));
  const project = join(outside, "project");
  const root = join(project, options.workspace ?? ".");
  await mkdir(root, { recursive: true });
  await writeFile(join(outside, "secret.txt"), "top secret needle\n");
  const home = options.home?.(project) ?? join(outside, "home");
  const scopeOf = (path: string): string => (path.startsWith(`${project}/`) ? relative(project, path) : path);
  const [plan, folder] = [join(home, "plans", "plan.md"), join(home, "workspace")];
  const own = { plan, folder, scopes: [plan, folder].map(scopeOf) };
  const stop = new AbortController();
  const owner = { worker: brandId("work", `test-${process.pid}`), task: brandId("task", "1"), attempt: ++opened };
  const keep = trackedCustody().open(owner);
  const spec = {
    definition: {},
    policy: { fs: { read: options.read ?? ["."], write: ["."] }, tools: options.rules ?? [], modes: [] },
    workspace: { mode: "shared", path: options.workspace, allow_writes: true },
  };
  const attempt = {
    task: { spec },
    workspace: { root },
    confinement: { wrap: (command: unknown) => command },
    keep,
    own,
    homes: [scopeOf(home)],
    ...options.attempt,
  } as unknown as Attempt;
  const scope = { signal: stop.signal } as AttemptScope;
  const program = "ripgrep" in options ? options.ripgrep : ripgrep;
  const open = () => fileTools({ clock: options.clock ?? systemClock, ripgrep: program })(attempt, scope);
  const set = await open();
  const others: AsyncDisposable[] = [];
  const tool = (name: string): Tool => {
    const found = set.tools.find((one) => one.name === name);
    if (found === undefined) throw new Error(`there is no tool ${name}`);
    return found;
  };
  const run = (name: string, input: Json) => tool(name).run(input, call);
  const expecting = (ok: boolean) => async (name: string, input: Json) => {
    const result = await run(name, input);
    if (result.ok !== ok) throw new Error(`${name} ${ok ? "failed" : "worked"}: ${result.text}`);
    return result.text;
  };
  return {
    outside,
    project,
    root,
    own,
    stop,
    tool,
    plan: (name, input) => tool(name).plan(input),
    run,
    reattach: async (name, input) => tool(name).reattach?.(input, call),
    text: expecting(true),
    problem: expecting(false),
    async put(files) {
      for (const [path, content] of Object.entries(files)) {
        await mkdir(dirname(join(root, path)), { recursive: true });
        await writeFile(join(root, path), content);
      }
    },
    async link(target, path) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await symlink(target, join(root, path));
    },
    pipe: (path) => void execFileSync(PIPE_MAKER, [join(root, path)]),
    async again() {
      const more = await open();
      others.push(more);
      return more.tools;
    },
    async [Symbol.asyncDispose]() {
      await keep.endAll();
      for (const one of [set, ...others]) await one[Symbol.asyncDispose]();
      await rm(outside, { recursive: true, force: true });
    },
  };
}
