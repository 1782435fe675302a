import { join } from "node:path";
import type { LoadedConfig } from "../config/index.ts";
import type { ProbePlace } from "../confinement/bubblewrap/probe.ts";
import { noConfinement } from "../confinement/none/no-confinement.ts";
import type { Confinement, Custody, Mint } from "../ports/index.ts";
import type { ConfinementLabel } from "../schema/index.ts";
import { onlyOnce } from "./once.ts";
import type { Place } from "./place.ts";

export interface LookedAtConfinement extends Confinement {
  /** What programs are held by on this machine, under these settings. */
  look(place: ProbePlace): Promise<ConfinementLabel>;
}

const SWITCHED_OFF: ConfinementLabel = {
  commands: "policy",
  fileTools: "policy",
  note: "confinement is switched off in the settings",
};

/** Loaded when it is first needed: most processes run no attempt. */
export function confinementFor(
  setting: LoadedConfig["confinement"],
  { home, userHome }: Place,
  privateHosts: readonly string[],
): LookedAtConfinement {
  if (setting === "off")
    return {
      look: async () => SWITCHED_OFF,
      prepare: async (wish) => ({ ...(await noConfinement.prepare(wish)), label: SWITCHED_OFF }),
    };
  const open = onlyOnce(async () => {
    const { bubblewrapConfinement } = await import("../confinement/bubblewrap/bubblewrap-confinement.ts");
    const programs = [process.execPath];
    return bubblewrapConfinement({ setting, home, homes: [join(userHome, ".cadre")], programs, privateHosts });
  });
  return {
    look: async (place) => (await open()).look(place),
    prepare: async (wish) => (await open()).prepare(wish),
  };
}

/** Outside of any attempt, in a keep that is made for it. */
export async function lookAtConfinement(
  { custody, mint }: { readonly custody: () => Promise<Custody>; readonly mint: Mint },
  confinement: LookedAtConfinement,
): Promise<ConfinementLabel> {
  const opened = await custody();
  const keep = opened.open({ worker: mint.id("work"), task: mint.id("task"), attempt: 1 });
  try {
    return await confinement.look({ keep, custody: opened.tier });
  } finally {
    await keep.endAll();
  }
}
