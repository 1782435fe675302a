import type { Backend, Capabilities } from "../ports/index.ts";
import type { CoolDown } from "../schema/index.ts";
import type { BackendFound } from "./cadre.ts";

/** Of those that need a program: the others are always there. */
export async function lookAtBackends(
  backends: Iterable<Backend>,
  coolDowns: readonly CoolDown[],
): Promise<BackendFound[]> {
  const found = await Promise.all(
    [...backends].map(async (backend) => {
      const seen = await backend.look?.();
      const { name, capabilities } = backend;
      const coolDown = coolDowns.find((one) => one.backend === name) ?? null;
      return seen === undefined ? [] : [{ name, ...seen, cannot: lacks(capabilities), coolDown }];
    }),
  );
  return found.flat();
}

const lacks = (capabilities: Capabilities): string[] => [
  ...(capabilities.approvals ? [] : ["wait for an approval: what would be asked is denied"]),
  ...(capabilities.steering ? [] : ["take messages while it works"]),
  ...(capabilities.usage === "per-call" ? [] : ["say what one call costs: its whole budget is set aside"]),
  ...(capabilities.lastWords ? [] : ["say how far it came when its time is up"]),
];
