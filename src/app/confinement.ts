import { join } from "node:path";
import type { LoadedConfig } from "../config/index.ts";
import { noConfinement } from "../confinement/none/no-confinement.ts";
import { nothingConfines } from "../confinement/none/nothing-confines.ts";
import type { ConfinementSetting, Tier } from "../confinement/tier.ts";
import { packageRoot } from "../platform/package-root.ts";
import type { Custody, Mint } from "../ports/index.ts";
import type { ConfinementLabel } from "../schema/index.ts";
import { onlyOnce } from "./once.ts";
import type { Place } from "./place.ts";

const SWITCHED_OFF: ConfinementLabel = {
  commands: "policy",
  fileTools: "policy",
  note: "confinement is switched off in the settings",
};

/** Readable in every sandbox: Node, and what a `cadre` in there is made of. */
const OURS = [process.execPath, join(packageRoot(), "package.json")];

/** Loaded when it is first needed: most processes run no attempt. */
export function confinementFor(
  setting: LoadedConfig["confinement"],
  { home, userHome }: Place,
  privateHosts: readonly string[],
): Tier {
  if (setting === "off")
    return {
      look: async () => SWITCHED_OFF,
      prepare: async (wish) => ({ ...(await noConfinement.prepare(wish)), label: SWITCHED_OFF }),
    };
  const homes = [join(userHome, ".cadre")];
  const open = onlyOnce(() => openTier({ setting, home, homes, programs: OURS, privateHosts }));
  return {
    look: async (place) => (await open()).look(place),
    prepare: async (wish) => (await open()).prepare(wish),
  };
}

interface TierOptions {
  readonly setting: ConfinementSetting;
  readonly home: string;
  readonly homes: readonly string[];
  readonly programs: readonly string[];
  readonly privateHosts: readonly string[];
}

/** The best that there is for this system; each says by itself what to do where it does not work. */
async function openTier(options: TierOptions): Promise<Tier> {
  const nothing = nothingConfines(options.setting);
  if (process.platform === "darwin") {
    const { seatbeltConfinement } = await import("../confinement/seatbelt/seatbelt-confinement.ts");
    return seatbeltConfinement({ ...options, otherwise: nothing });
  }
  const [{ bubblewrapConfinement }, { landlockConfinement }] = await Promise.all([
    import("../confinement/bubblewrap/bubblewrap-confinement.ts"),
    import("../confinement/landlock/landlock-confinement.ts"),
  ]);
  return bubblewrapConfinement({
    ...options,
    otherwise: (why) => landlockConfinement({ ...options, why, otherwise: nothing }),
  });
}

/** Outside of any attempt, in a keep that is made for it. */
export async function lookAtConfinement(
  { custody, mint }: { readonly custody: () => Promise<Custody>; readonly mint: Mint },
  confinement: Tier,
): Promise<ConfinementLabel> {
  const opened = await custody();
  const keep = opened.open({ worker: mint.id("work"), task: mint.id("task"), attempt: 1 });
  try {
    return await confinement.look({ keep, custody: opened.tier });
  } finally {
    await keep.endAll();
  }
}
