import type { Backend, Capabilities } from "../ports/index.ts";
import type { BackendFound } from "./cadre.ts";

/** Of those that need a program: the others are always there. */
export async function lookAtBackends(backends: Iterable<Backend>): Promise<BackendFound[]> {
  const found = await Promise.all(
    [...backends].map(async (backend) => {
      const seen = await backend.look?.();
      return seen === undefined ? [] : [{ name: backend.name, ...seen, cannot: lacks(backend.capabilities) }];
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
