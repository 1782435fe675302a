// Agents to and from other programs' files, wired. Loaded when somebody asks for it: the parsers are large.
import { openConversion } from "../definitions/conversion/open-conversion.ts";
import { loadFormat } from "../definitions/formats/index.ts";
import type { Conversion, Registry } from "../ports/index.ts";
import type { ToolShelf } from "../ports/tool-shelf.ts";
import type { RegistryPlace } from "./registry.ts";
import { clock } from "./system.ts";

export interface ConversionParts {
  readonly place: RegistryPlace;
  readonly registry: Registry;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** From the user's own config, as it stands there. */
  readonly models: unknown;
  readonly tools: () => Promise<ToolShelf>;
}

export function conversionFor({ place, registry, env, models, tools }: ConversionParts): Conversion {
  const { home, project, userHome } = place;
  return openConversion({
    roots: { home, project, userHome },
    registry,
    clock,
    load: loadFormat,
    tools: async () => (await (await tools()).list()).tools.map(({ name }) => name),
    models: () => knownModels(models, env),
  });
}

/** Whether a name means a model, whoever has its key. */
async function knownModels(models: unknown, env: ConversionParts["env"]): Promise<(model: string) => boolean> {
  const { openModels, readModelSettings } = await import("../models/index.ts");
  const catalog = openModels({ env, settings: readModelSettings(models), clock });
  return (model) => {
    try {
      catalog.resolve(model);
      return true;
    } catch {
      return false;
    }
  };
}
