import type { Mounts } from "../bubblewrap/mounts.ts";
import { type LandlockLauncher, landlockWords } from "./find-launcher.ts";

/** Of every sandbox, beside what the policy mounts. What is not for writing there is mounted so. */
const OWN = ["/tmp", "/dev"];

/**
 * Inside of a sandbox: nothing is written but where it may be, whatever becomes of the mounts. Not looked at twice:
 * files that are protected in the midst of what may be written. Landlock cannot take away again what it has given.
 */
export function secondLayer(launcher: LandlockLauncher, mounts: Mounts): string[] {
  const places = mounts.list().filter(({ kind }) => kind === "write" || kind === "empty");
  return landlockWords(launcher, { read: ["/"], write: [...OWN, ...places.map(({ path }) => path)] });
}
