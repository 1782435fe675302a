// Agents to and from other programs' files, wired. Loaded when somebody asks for it: the parsers are large.
import { join } from "node:path";
import { loadFormat } from "../definitions/formats/index.ts";
import type { Conversion, Registry, Trust } from "../ports/index.ts";
import type { RegistryPlace } from "./registry.ts";
import { clock } from "./system.ts";

export interface ConversionParts {
  readonly place: RegistryPlace;
  readonly registry: Registry;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** From the user's own config, as it stands there. */
  readonly models: unknown;
  readonly trust: Trust;
}

export function conversionFor(parts: ConversionParts): Conversion {
  const { place, registry } = parts;
  const open = async (): Promise<Conversion> => {
    const { openConversion } = await import("../definitions/conversion/open-conversion.ts");
    const { home, project, userHome } = place;
    const roots = { home, project, userHome };
    const [tools, models] = [() => knownTools(parts), () => knownModels(parts)];
    return openConversion({ roots, registry, clock, load: loadFormat, tools, models });
  };
  return {
    import: async (wish) => (await open()).import(wish),
    export: async (wish) => (await open()).export(wish),
    check: async (wish) => (await open()).check(wish),
    create: async (name, description) => (await open()).create(name, description),
  };
}

/** Names of tools that people have written, here or for themselves. */
async function knownTools({ place, trust }: ConversionParts): Promise<readonly string[]> {
  const { findTools } = await import("../tools/manifest/tool-folders.ts");
  const layers = [
    { folder: join(place.home, "tools"), trustRoot: place.project },
    { folder: join(place.userHome, ".cadre", "tools"), trustRoot: null },
  ];
  return (await findTools(layers, trust)).tools.map(({ manifest }) => manifest.name);
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
