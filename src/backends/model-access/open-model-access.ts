// How a confined program gets at its model: by a gateway that keeps its key from it where that can be done, else by
// its maker's hosts and the key itself.
import { mintToken } from "../../platform/system-mint.ts";
import type { Confined } from "../../ports/index.ts";
import type { ModelUsage } from "../../schema/index.ts";
import { addressOf, apiHosts, type Variables } from "./api-hosts.ts";
import type { Gateway } from "./key-gateway.ts";
import type { ModelApi } from "./model-apis.ts";

export interface ModelAccess extends AsyncDisposable {
  /** What the program is given: the same, or with a stand-in for the key and another address. */
  readonly variables: Record<string, string>;
  /** What its model says to have used since this was last asked. Undefined: nobody knows. */
  takeUsage(): ModelUsage | undefined;
}

export interface ModelAccessOptions {
  readonly apis: readonly ModelApi[];
  readonly variables: Variables;
  readonly confinement: Pick<Confined, "label" | "letReach">;
  /** False: the program gets its key itself. */
  readonly keyGateway: boolean;
}

/** Once for an attempt, and before its first program. */
export async function openModelAccess(options: ModelAccessOptions): Promise<ModelAccess> {
  const { apis, confinement, keyGateway } = options;
  const variables = { ...options.variables };
  const gateways: Gateway[] = [];
  const close = async (): Promise<void> => {
    for (const gateway of gateways) await gateway[Symbol.asyncDispose]();
  };
  // A program that nothing confines finds the key elsewhere, and reaches what it likes.
  if (confinement.label.commands === "os") {
    try {
      const behind = keyGateway ? apis.filter((api) => keyIn(api, variables) !== undefined) : [];
      for (const api of behind) {
        const gateway = await standBefore(api, variables);
        if (gateway !== undefined) gateways.push(gateway);
      }
      const hosts = apiHosts(apis, variables);
      if (hosts.length > 0) await confinement.letReach(hosts);
    } catch (error) {
      await close();
      throw error;
    }
  }
  return {
    variables,
    takeUsage: () => sumOf(gateways.map((gateway) => gateway.takeUsage())),
    [Symbol.asyncDispose]: close,
  };
}

/** One of several keys is set, or this cannot be done: a stand-in is for one of them. */
function keyIn({ keys, paths, baseUrl }: ModelApi, variables: Variables): string | undefined {
  const [name, ...others] = keys.filter((one) => one in variables);
  return paths.length === 0 || baseUrl === undefined || others.length > 0 ? undefined : name;
}

async function standBefore(api: ModelApi, variables: Record<string, string>): Promise<Gateway | undefined> {
  const name = keyIn(api, variables);
  const key = name === undefined ? undefined : variables[name];
  const address = addressOf(api, variables);
  if (name === undefined || key === undefined || api.baseUrl === undefined || address === undefined) return undefined;
  const standIn = `cadre-${mintToken()}`;
  const { openGateway } = await import("./key-gateway.ts"); // servers take a while to load, and few need one
  const gateway = await openGateway({ address, paths: api.paths, standIn, key });
  variables[name] = standIn;
  variables[api.baseUrl] = `http://127.0.0.1:${gateway.port}${address.pathname.replace(/\/$/, "")}`;
  return gateway;
}

function sumOf(usages: readonly (ModelUsage | undefined)[]): ModelUsage | undefined {
  return usages.reduce((sum, usage) => {
    if (sum === undefined || usage === undefined) return sum ?? usage;
    return {
      inputTokens: sum.inputTokens + usage.inputTokens,
      outputTokens: sum.outputTokens + usage.outputTokens,
      cacheReadTokens: sum.cacheReadTokens + usage.cacheReadTokens,
      cacheWriteTokens: sum.cacheWriteTokens + usage.cacheWriteTokens,
      reasoningTokens: sum.reasoningTokens + usage.reasoningTokens,
    };
  }, undefined);
}
