import type { Custody } from "../ports/index.ts";

/** For engines whose backends start no programs: one that tries to has a bug. */
export const noCustody: Custody = {
  tier: "tracked",
  open: () => ({
    spawn: () => {
      throw new Error("this engine keeps no processes");
    },
    endAll: async () => undefined,
  }),
  sweep: async () => 0,
};
