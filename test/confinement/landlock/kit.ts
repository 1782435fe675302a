// Real programs that Landlock holds, without bubblewrap and without an engine around them.
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { landlockConfinement } from "../../../src/confinement/landlock/landlock-confinement.ts";
import { LandlockMachine } from "../../../src/confinement/landlock/landlock-machine.ts";
import { nothingConfines } from "../../../src/confinement/none/nothing-confines.ts";
import type { ConfinementSetting } from "../../../src/confinement/tier.ts";
import type { Command, Confined } from "../../../src/ports/index.ts";
import { brandId, type Policy } from "../../../src/schema/index.ts";
import { samplePolicy } from "../../domain/samples.ts";
import { custody, openKeep, type Ran, textOf } from "../kit.ts";

const machine = new LandlockMachine();
const probing = custody.open({ worker: brandId("work", "landlock"), task: brandId("task", "1"), attempt: 1 });
export const foundLandlock = await machine.find({ keep: probing, custody: custody.tier });
await probing.endAll();

/** Not below /tmp, which programs of this tier may use. */
export function folderElsewhere(): string {
  const folder = realpathSync(mkdtempSync("/var/tmp/landlock-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export interface LandlockWorld {
  readonly outside: string;
  readonly project: string;
  readonly home: string;
  readonly confined: Confined;
  readonly warnings: readonly string[];
  run(script: string, more?: Partial<Command>): Promise<Ran>;
  end(): Promise<void>;
}

export interface LandlockWish {
  readonly setting?: ConfinementSetting;
  readonly policy?: Partial<Policy>;
  readonly machine?: LandlockMachine;
  readonly lay?: (project: string) => void;
  /** Where the project lies. */
  readonly outside?: string;
}

export const WHY = "bubblewrap is not installed";

export async function openLandlockWorld(wish: LandlockWish = {}): Promise<LandlockWorld> {
  const { setting = "best", outside = folderElsewhere() } = wish;
  const project = join(outside, "project");
  const home = join(project, ".cadre");
  for (const folder of ["workspace", "plans", "sessions"]) mkdirSync(join(home, folder), { recursive: true });
  wish.lay?.(project);
  const warnings: string[] = [];
  const keep = openKeep();
  const options = { setting, home, homes: [], programs: [process.execPath], why: WHY };
  const tier = landlockConfinement({ ...options, otherwise: nothingConfines(setting) }, wish.machine ?? machine);
  const confined = await tier.prepare({
    task: brandId("task", "1"),
    policy: samplePolicy({ fs: { read: ["."], write: ["."] }, network: false, ...wish.policy }),
    workspace: { root: project, base: project, reads: [] },
    own: { plan: join(home, "plans", "1_plan.md"), folder: join(home, "workspace"), scopes: [] },
    keep,
    custody: custody.tier,
    onRefused: () => undefined,
    carriesSecret: () => false,
    isOwnTree: false,
    warn: (text) => void warnings.push(text),
  });
  let isOver = false;
  const end = async () => {
    if (isOver) return;
    isOver = true;
    await keep.endAll();
    await confined.release();
  };
  onTestFinished(end);
  const run = async (script: string, more: Partial<Command> = {}): Promise<Ran> => {
    const env = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: homedir() };
    const command = { file: "/bin/sh", args: ["-c", script], cwd: project, env, ...more };
    const kept = keep.spawn(confined.wrap(command));
    kept.endInput();
    const [out, errors, exited] = await Promise.all([textOf(kept.stdout), textOf(kept.stderr), kept.exited]);
    const how = exited.kind === "exited" ? exited.code : exited.kind === "killed" ? exited.signal : exited.message;
    return { out: out.trim(), errors, end: how };
  };
  return { outside, project, home, confined, warnings, run, end };
}
