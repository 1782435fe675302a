// Real programs that Landlock holds, without bubblewrap and without an engine around them.
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { onTestFinished } from "vitest";
import { landlockConfinement } from "../../../src/confinement/landlock/landlock-confinement.ts";
import { LandlockMachine } from "../../../src/confinement/landlock/landlock-machine.ts";
import { nothingConfines } from "../../../src/confinement/none/nothing-confines.ts";
import type { ConfinementSetting } from "../../../src/confinement/tier.ts";
import { ownerOf } from "../../custody/owner-of.ts";
import { custody, openWorldIn, type World, type WorldWish } from "../kit.ts";

const machine = new LandlockMachine();
const probing = custody.open(ownerOf("landlock"));
export const foundLandlock = await machine.find({ keep: probing, custody: custody.tier });
await probing.endAll();

/** Not below /tmp, which programs of this tier may use. */
export function folderElsewhere(): string {
  const folder = realpathSync(mkdtempSync("/var/tmp/landlock-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export interface LandlockWish extends Pick<WorldWish, "policy" | "lay"> {
  readonly setting?: ConfinementSetting;
  readonly machine?: LandlockMachine;
  /** Where the project lies. */
  readonly outside?: string;
}

export const WHY = "bubblewrap is not installed";

export async function openLandlockWorld(wish: LandlockWish = {}): Promise<World> {
  const { setting = "best", outside = folderElsewhere(), policy, lay } = wish;
  const world = await openWorldIn(outside, { policy, lay }, (home) => {
    const options = { setting, home, homes: [], programs: [process.execPath], why: WHY };
    return landlockConfinement({ ...options, otherwise: nothingConfines(setting) }, wish.machine ?? machine);
  });
  // Here a home is the machine's, and not an empty one.
  const env = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: homedir() };
  return { ...world, run: (script, more) => world.run(script, { env, ...more }) };
}
