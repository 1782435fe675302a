// Agents to and from other programs' files, wired. Loaded when somebody asks for it: the parsers are large.
import { loadFormat } from "../definitions/formats/index.ts";
import type { Conversion, Registry } from "../ports/index.ts";
import type { RegistryPlace } from "./registry.ts";
import { clock } from "./system.ts";

export interface ConversionParts {
  readonly place: RegistryPlace;
  readonly registry: Registry;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** From the user's own config, as it stands there. */
  readonly models: unknown;
  /** Names of tools that people have written. */
  tools(): Promise<readonly string[]>;
}

export function conversionFor(parts: ConversionParts): Conversion {
  const { place, registry, tools } = parts;
  const open = async (): Promise<Conversion> => {
    const { openConversion } = await import("../definitions/conversion/open-conversion.ts");
    const { home, project, userHome } = place;
    const roots = { home, project, userHome };
    return openConversion({ roots, registry, clock, load: loadFormat, tools, models: () => knownModels(parts) });
  };
  return {
    import: async (wish) => (await open()).import(wish),
    export: async (wish) => (await open()).export(wish),
    check: async (wish) => (await open()).check(wish),
    create: async (name, description) => (await open()).create(name, description),
  };
}

/** Whether a name means a model, whoever has its key. */
async function knownModels({ env, models }: ConversionParts): Promise<(model: string) => boolean> {
  const { ModelSettings, openModels } = await import("../models/index.ts");
  const catalog = openModels({ env, settings: ModelSettings.parse(models), clock });
  return (model) => {
    try {
      catalog.resolve(model);
      return true;
    } catch {
      return false;
    }
  };
}
