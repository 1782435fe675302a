import { nearest } from "../domain/nearest.ts";
import { invalidInput } from "../errors/index.ts";
import { ALIASES, PREFIXES } from "./aliases.ts";
import type { ModelSettings } from "./model-settings.ts";
import { type Provider, PROVIDER_ALIASES, providersOf, RESERVED } from "./providers.ts";

/** A model with nothing left to resolve. */
export interface ModelRef {
  /** `provider/model`. */
  readonly name: string;
  readonly provider: Provider;
  readonly model: string;
}

export interface Catalog {
  resolve(name: string): ModelRef;
  readonly providers: readonly string[];
  readonly aliases: Readonly<Record<string, string>>;
}

const LONGEST_CHAIN = 8;
const MODEL_ID = /^[A-Za-z0-9][A-Za-z0-9._:@/+-]{0,199}$/;

/** What names of models mean here. `inherit` is not among them: only the caller knows from whom. */
export function openCatalog(settings: ModelSettings): Catalog {
  const taken = Object.keys(settings.providers).find((name) => RESERVED.has(name));
  if (taken !== undefined) {
    throw invalidInput(`models.providers.${taken}: "${taken}" means something already`, {
      hint: "Give your endpoint another name.",
      facts: { provider: taken },
    });
  }
  const providers = providersOf(settings);
  const own = Object.entries(settings.aliases).map(([alias, target]) => [alias.toLowerCase(), target] as const);
  const aliases: Readonly<Record<string, string>> = { ...ALIASES, ...Object.fromEntries(own) };
  const aliasOf = (name: string) => (Object.hasOwn(aliases, name) ? aliases[name] : undefined);

  const locate = (name: string, wanted: string): ModelRef => {
    const slash = name.indexOf("/");
    if (slash < 0) {
      const prefix = PREFIXES.find(({ begins }) => begins.test(name));
      if (prefix === undefined) throw unknownModel(wanted, Object.keys(aliases));
      return locate(`${prefix.provider}/${name}`, wanted);
    }
    const written = name.slice(0, slash).toLowerCase();
    const provider = providers.get(PROVIDER_ALIASES.get(written) ?? written);
    if (provider === undefined) throw unknownProvider(written, wanted, [...providers.keys()]);
    const model = modelOf(provider, name.slice(slash + 1), aliasOf);
    if (!MODEL_ID.test(model)) {
      throw invalidInput(`"${wanted}" names no model of ${provider.name}`, {
        hint: `Write it as ${provider.name}/<model>.`,
        facts: { model: wanted },
      });
    }
    return { name: `${provider.name}/${model}`, provider, model };
  };

  return {
    resolve(wanted) {
      let name = wanted.trim();
      for (let step = 0; step < LONGEST_CHAIN; step++) {
        const target = aliasOf(name.toLowerCase());
        if (target === undefined || target === name) return locate(name, wanted);
        name = target.trim();
      }
      throw invalidInput(`the alias "${wanted}" leads to other aliases and to no model`, {
        hint: "Let it stand for provider/model: models.aliases in your own config.",
        facts: { model: wanted },
      });
    },
    providers: [...providers.keys()],
    aliases,
  };
}

/** `anthropic/sonnet` is what `sonnet` is, if that is one of Anthropic's. */
function modelOf(provider: Provider, model: string, aliasOf: (name: string) => string | undefined): string {
  const start = `${provider.name}/`;
  const target = aliasOf(model.toLowerCase());
  return target?.startsWith(start) === true ? target.slice(start.length) : model;
}

const unknownModel = (wanted: string, aliases: readonly string[]) => {
  const near = nearest(wanted, aliases);
  return invalidInput(`there is no model called "${wanted}"`, {
    hint: `${near === undefined ? "" : `Did you mean "${near}"? `}Write provider/model, or one of: ${aliases.join(", ")}`,
    facts: { model: wanted },
  });
};

const unknownProvider = (provider: string, wanted: string, candidates: readonly string[]) => {
  const near = nearest(provider, candidates);
  return invalidInput(`there is no provider called "${provider}", which "${wanted}" asks for`, {
    hint: `${near === undefined ? "" : `Did you mean "${near}"? `}There are: ${candidates.join(", ")}. More can be declared under models.providers in your own config.`,
    facts: { model: wanted, provider },
  });
};
