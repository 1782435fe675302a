import { admissionRefused } from "../../errors/index.ts";
import type { ConfinementLabel } from "../../schema/index.ts";
import type { ConfinementSetting, Otherwise } from "../tier.ts";
import { noConfinement } from "./no-confinement.ts";

/** The last resort: programs run as they are and the label says why, or they do not run. */
export const nothingConfines =
  (setting: ConfinementSetting): Otherwise =>
  (why) => {
    const label: ConfinementLabel = { commands: "policy", fileTools: "policy", note: why };
    return {
      look: async () => label,
      async prepare(wish) {
        if (setting === "best") return { ...(await noConfinement.prepare(wish)), label };
        throw admissionRefused(
          "confinement",
          `nothing confines programs here, and the settings require it: ${why}`,
          "See what is missing: cadre doctor",
        );
      },
    };
  };
