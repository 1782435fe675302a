// The platform's glue, in the shape of the ports.
import { checkIdentity, ownIdentity } from "../platform/process-identity.ts";
import { systemClock } from "../platform/system-clock.ts";
import { mintId, mintToken, sha256 } from "../platform/system-mint.ts";
import type { Clock, Liveness, Mint } from "../ports/index.ts";
import { brandId } from "../schema/index.ts";

export const clock: Clock = systemClock;

export const mint: Mint = {
  id: (prefix) => brandId(prefix, mintId(systemClock.now())),
  token: mintToken,
  sha256,
};

export async function ownLiveness(): Promise<Liveness> {
  const self = { id: mint.id("work"), ...(await ownIdentity()) };
  return { self, check: ({ id: _id, ...identity }) => checkIdentity(identity) };
}
