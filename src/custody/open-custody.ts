import type { Custody } from "../ports/index.ts";
import { installedLaunchers, type Launcher } from "./launchers.ts";
import { namespaceCustody } from "./namespace-custody.ts";
import { keepsItsPromise } from "./probe.ts";
import { trackedCustody } from "./tracked-custody.ts";

/** The best that this machine really does, found out by trying. Once per process: it starts a few programs. */
export async function openCustody(): Promise<Custody> {
  const launcher = await findLauncher();
  return launcher === undefined ? trackedCustody() : namespaceCustody(launcher);
}

async function findLauncher(): Promise<Launcher | undefined> {
  for (const launcher of installedLaunchers()) if (await keepsItsPromise(launcher)) return launcher;
  return undefined;
}
