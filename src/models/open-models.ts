import type { Clock, Model, ModelPart, ModelRequest } from "../ports/index.ts";
import { NO_USAGE } from "../schema/nothing.ts";
import { planCall } from "./call-options.ts";
import { type Catalog, type ModelRef, openCatalog } from "./catalog.ts";
import {
  type Endpoint,
  endpointOf,
  type Environment,
  type Given,
  givenFor,
  isSame,
  keysSet,
  ownBaseUrl,
} from "./endpoint.ts";
import { loadFacts, type ModelFacts } from "./facts.ts";
import { failure } from "./failure.ts";
import { loadLanguageModel, type MakeLanguageModel } from "./language-models.ts";
import { type ModelSettingsInput, readModelSettings } from "./model-settings.ts";
import { providersOf } from "./providers.ts";
import { readTurn } from "./read-turn.ts";
import { type Bounds, BOUNDS, watchCall } from "./watched-fetch.ts";

export interface ModelsOptions {
  /** The user's variables: keys and base URLs. */
  readonly env: Environment;
  /** From the user's own config only. */
  readonly settings?: ModelSettingsInput | undefined;
  readonly clock: Clock;
  readonly bounds?: Partial<Bounds> | undefined;
}

/** What a model needs before it can be used. */
export interface ModelNeeds {
  /** `provider/model`. */
  readonly name: string;
  /** Variables, any one of which is enough. None: it needs no key. */
  readonly anyOf: readonly string[];
  /** Those of them that are set. */
  readonly found: readonly string[];
  readonly isMet: boolean;
}

export interface Models {
  /** The whole name of a model: `provider/model`. Throws where there is none. */
  resolve(name: string): string;
  needs(name: string): ModelNeeds;
  /** Throws where `open` would: a key is missing, or an address is none. Loads nothing. */
  check(name: string): void;
  /** Price and limits, without a key. */
  facts(name: string): Promise<ModelFacts>;
  /** Throws where the name means nothing or the key is missing; imports the provider's package. */
  open(name: string): Promise<Model>;
  readonly providers: readonly string[];
  readonly aliases: Readonly<Record<string, string>>;
}

/** The names of all variables that models may need: what a caller has to put into `env`. */
export function modelVariables(settings: ModelSettingsInput = {}): readonly string[] {
  const providers = [...providersOf(readModelSettings(settings)).values()];
  return [...new Set(providers.flatMap(({ keys, baseUrlVariable }) => [...keys, baseUrlVariable ?? []].flat()))];
}

export function openModels({ env, settings: input = {}, clock, bounds: ownBounds }: ModelsOptions): Models {
  const settings = readModelSettings(input);
  const catalog = openCatalog(settings);
  const bounds = { ...BOUNDS, ...ownBounds };
  const opened = new Map<string, { readonly given: Given; readonly model: Promise<Model> }>();

  const prices = byWholeName(settings.prices, catalog);
  const limits = byWholeName(settings.limits, catalog);

  const factsOf = (ref: ModelRef): Promise<ModelFacts> => {
    const own = { price: prices.get(ref.name), limits: limits.get(ref.name) };
    return loadFacts(ref, own, ownBaseUrl(ref.provider), clock);
  };

  const load = async (ref: ModelRef, endpoint: Endpoint): Promise<Model> => {
    const { provider, model } = ref;
    const wish = { provider: provider.name, wire: provider.wire, model, endpoint };
    const [facts, make] = await Promise.all([factsOf(ref), loadLanguageModel(wish)]);
    return {
      ...facts,
      stream: (request, signal) => streamTurn({ ref, endpoint, make, clock, bounds }, request, signal),
    };
  };

  return {
    resolve: (name) => catalog.resolve(name).name,
    needs(name) {
      const ref = catalog.resolve(name);
      const found = keysSet(ref.provider, env);
      const anyOf = ref.provider.keys;
      return { name: ref.name, anyOf, found, isMet: anyOf.length === 0 || found.length > 0 };
    },
    check(name) {
      const ref = catalog.resolve(name);
      endpointOf(ref, givenFor(ref.provider, env));
    },
    facts: async (name) => factsOf(catalog.resolve(name)),
    async open(name) {
      const ref = catalog.resolve(name);
      const given = givenFor(ref.provider, env);
      const known = opened.get(ref.name);
      if (known !== undefined && isSame(known.given, given)) return known.model;
      opened.delete(ref.name);
      const model = load(ref, endpointOf(ref, given));
      opened.set(ref.name, { given, model });
      // What failed once may work the next time.
      model.catch(() => opened.get(ref.name)?.model === model && opened.delete(ref.name));
      return model;
    },
    providers: catalog.providers,
    aliases: catalog.aliases,
  };
}

const byWholeName = <T>(rows: Readonly<Record<string, T>>, catalog: Catalog): ReadonlyMap<string, T> =>
  new Map(Object.entries(rows).map(([name, row]) => [catalog.resolve(name).name, row]));

interface Line {
  readonly ref: ModelRef;
  readonly endpoint: Endpoint;
  readonly make: MakeLanguageModel;
  readonly clock: Clock;
  readonly bounds: Bounds;
}

async function* streamTurn(line: Line, request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelPart> {
  if (signal.aborted)
    return yield { type: "error", kind: "aborted", message: "stopped before it began", usage: NO_USAGE };
  const { ref, endpoint, clock } = line;
  const watch = watchCall(signal, clock, line.bounds);

  const fail = (error: unknown): ModelPart => {
    // Whatever was thrown, these two are the reason.
    if (signal.aborted) return { type: "error", kind: "aborted", message: "stopped", usage: null };
    const broken = watch.broken();
    if (broken !== undefined) return { type: "error", kind: "unavailable", message: broken, usage: null };
    return failure(error, { status: watch.status(), now: clock.now(), model: ref.name, key: endpoint.key });
  };

  let isRead = false;
  try {
    const { options, notes } = planCall({ name: ref.name, wire: ref.provider.wire, model: ref.model }, request);
    const { stream } = await line.make(watch.fetch).doStream({ ...options, abortSignal: watch.signal });
    const tools = new Set(request.tools.map(({ name }) => name));
    const turn = readTurn({ model: ref.name, tools, bounds: line.bounds, notes, fail });
    // By hand: going through a stream of the web takes more promises for every part of it.
    const reader = stream.getReader();
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      const said = turn.see(read.value);
      if (said !== undefined) yield said;
      if (said?.type === "error") return; // and with its request the stream is stopped
    }
    isRead = true;
    yield turn.end();
  } catch (error) {
    yield fail(error);
  } finally {
    watch.end(isRead);
  }
}
