// Which of the modes and models that a session offers is the one that is wanted.
import type { SessionFacts } from "./messages.ts";
import type { HeldBy } from "./presets.ts";

/** What to send, and by what name the peer will call it. */
export interface Setting {
  readonly method: "session/set_mode" | "session/set_model" | "session/set_config_option";
  readonly params: Readonly<Record<string, string>>;
  readonly value: string;
}

interface Offered {
  readonly values: readonly string[];
  set(value: string): Setting;
}

const byMode = (value: string): Setting => ({ method: "session/set_mode", params: { modeId: value }, value });
const byModel = (value: string): Setting => ({ method: "session/set_model", params: { modelId: value }, value });

/** Config options are what the protocol goes by; the older lists are still what some peers have. */
function offered({ modes, models, configOptions }: SessionFacts, what: "mode" | "model"): Offered | undefined {
  const option = configOptions?.find(({ category }) => category === what);
  if (option !== undefined) {
    const set = (value: string): Setting => ({
      method: "session/set_config_option",
      params: { configId: option.id, value },
      value,
    });
    return { values: option.options.map(({ value }) => value), set };
  }
  if (what === "mode" && modes !== undefined) {
    return { values: modes.availableModes.map(({ id }) => id), set: byMode };
  }
  if (what === "model" && models !== undefined) {
    return { values: models.availableModels.map(({ modelId }) => modelId), set: byModel };
  }
  return undefined;
}

/** Some name their modes by an address, whose last part is the name. */
const plain = (name: string): string => (name.split(/[#/]/).at(-1) ?? "").toLowerCase().replaceAll(/[^a-z0-9]/g, "");

/** Undefined: there is none that would keep it so. */
export function modeFor(facts: SessionFacts, heldBy: Exclude<HeldBy, "as started">): Setting | undefined {
  const modes = offered(facts, "mode");
  for (const name of heldBy.modes) {
    const found = modes?.values.find((value) => plain(value) === plain(name));
    if (modes !== undefined && found !== undefined) return modes.set(found);
  }
  return undefined;
}

/** `provider/model` may be what the peer calls just `model`, or the other way round. */
export function modelFor(facts: SessionFacts, wanted: string): Setting | undefined {
  const models = offered(facts, "model");
  const short = wanted.split("/").at(-1);
  const found =
    models?.values.find((value) => value === wanted) ??
    models?.values.find((value) => value === short || value.split("/").at(-1) === wanted);
  return models === undefined || found === undefined ? undefined : models.set(found);
}

export const modelsOf = (facts: SessionFacts): readonly string[] => offered(facts, "model")?.values ?? [];
