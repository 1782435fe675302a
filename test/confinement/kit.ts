// Real programs in real sandboxes, without an engine around them.
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { bubblewrapConfinement } from "../../src/confinement/bubblewrap/bubblewrap-confinement.ts";
import { SandboxMachine } from "../../src/confinement/bubblewrap/sandbox-machine.ts";
import { openCustody } from "../../src/custody/index.ts";
import type { Command, Confined, Confinement, HostRefusal, Keep, Kept } from "../../src/ports/index.ts";
import type { Policy } from "../../src/schema/index.ts";
import { ownerOf } from "../custody/owner-of.ts";
import { attemptWish } from "./attempt-wish.ts";
import { textOf } from "./text-of.ts";

export const custody = await openCustody();
const machine = new SandboxMachine();

let opened = 0;

export function openKeep(): Keep {
  const keep = custody.open(ownerOf("confined", ++opened));
  onTestFinished(() => keep.endAll());
  return keep;
}

const probing = custody.open(ownerOf("probe"));
export const found = await machine.find({ keep: probing, custody: custody.tier });
await probing.endAll();

/** Empty where this machine cannot do it: test/structure/machine.test.ts says so, and fails for it on CI. */
export const machines: readonly { readonly user: string }[] =
  found.kind === "parts" ? [{ user: found.parts.tools.isRoot ? "root" : "a user" }] : [];

export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "confined-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export interface Ran {
  readonly out: string;
  readonly errors: string;
  /** Its exit code, or the signal that ended it. */
  readonly end: number | string;
}

export interface World {
  /** The folder around the project: nothing of it is the agent's. */
  readonly outside: string;
  readonly project: string;
  readonly home: string;
  readonly confined: Confined;
  readonly warnings: readonly string[];
  readonly refusals: readonly HostRefusal[];
  command(script: string, more?: Partial<Command>): Command;
  start(script: string, more?: Partial<Command>): Kept;
  run(script: string, more?: Partial<Command>): Promise<Ran>;
  /** Ends what runs, and lets go. */
  end(): Promise<void>;
}

export interface WorldWish {
  readonly policy?: Partial<Policy> | undefined;
  readonly isOwnTree?: boolean;
  /** Before anything is prepared. */
  readonly lay?: ((project: string) => void) | undefined;
}

/** A project with Cadre's home in it, and an attempt there, held by bubblewrap. */
export const openWorld = (wish: WorldWish & { readonly machine?: SandboxMachine } = {}): Promise<World> =>
  openWorldIn(temporaryFolder(), wish, (home) => {
    const options = { setting: "required", home, homes: [], programs: [process.execPath], privateHosts: [] } as const;
    return bubblewrapConfinement(options, wish.machine ?? machine);
  });

/** The same, held by whatever is to be tried. */
export async function openWorldIn(
  outside: string,
  { policy, isOwnTree = false, lay }: WorldWish,
  confinement: (home: string) => Confinement,
): Promise<World> {
  const project = join(outside, "project");
  const home = join(project, ".cadre");
  for (const folder of ["workspace", "plans", "sessions"]) mkdirSync(join(home, folder), { recursive: true });
  lay?.(project);
  const warnings: string[] = [];
  const refusals: HostRefusal[] = [];
  const keep = openKeep();
  const wish = attemptWish(project, {
    policy,
    own: { plan: join(home, "plans", "1_plan.md"), folder: join(home, "workspace"), scopes: [] },
    keep,
    custody: custody.tier,
    onRefused: (refusal) => void refusals.push(refusal),
    isOwnTree,
    warn: (text) => void warnings.push(text),
  });
  const confined = await confinement(home).prepare(wish);
  let isOver = false;
  const end = async () => {
    if (isOver) return;
    isOver = true;
    await keep.endAll();
    await confined.release();
  };
  onTestFinished(end);
  const command = (script: string, more: Partial<Command> = {}): Command => ({
    file: "/bin/sh",
    args: ["-c", script],
    cwd: project,
    env: { PATH: "/usr/local/bin:/usr/bin:/bin" },
    ...more,
  });
  const start = (script: string, more?: Partial<Command>) => keep.spawn(confined.wrap(command(script, more)));
  const run = async (script: string, more?: Partial<Command>): Promise<Ran> => {
    const kept = start(script, more);
    kept.endInput();
    const [out, errors, exited] = await Promise.all([textOf(kept.stdout), textOf(kept.stderr), kept.exited]);
    const how = exited.kind === "exited" ? exited.code : exited.kind === "killed" ? exited.signal : exited.message;
    return { out: out.trim(), errors, end: how };
  };
  return { outside, project, home, confined, warnings, refusals, command, start, run, end };
}

/** A Node program, as its text. */
export const node = (script: string): Partial<Command> => ({ file: process.execPath, args: ["-e", script] });
