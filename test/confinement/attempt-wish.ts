// What an attempt in this folder asks of a confinement: for tests, and for the programs that they start.
import { join } from "node:path";
import type { ConfinementWish } from "../../src/ports/index.ts";
import { brandId, type Policy } from "../../src/schema/index.ts";
import { samplePolicy } from "../domain/samples.ts";

type Given = Pick<ConfinementWish, "keep" | "custody"> &
  Partial<Omit<ConfinementWish, "policy">> & { readonly policy?: Partial<Policy> | undefined };

/** It may read and write all of the folder, has no network, and nobody listens to what it says, unless told otherwise. */
export const attemptWish = (root: string, { policy, ...given }: Given): ConfinementWish => ({
  task: brandId("task", "1"),
  policy: samplePolicy({ network: false, ...policy }),
  workspace: { root, base: root, reads: [] },
  own: { plan: join(root, "plan.md"), folder: join(root, "workspace"), scopes: [] },
  onRefused: () => undefined,
  carriesSecret: () => false,
  isOwnTree: false,
  warn: () => undefined,
  ...given,
});
