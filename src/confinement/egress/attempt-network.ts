import type { ConfinementWish, ReachableHost } from "../../ports/index.ts";
import type { EgressOptions } from "./open-egress.ts";

/** What leads out of an attempt, whichever way its programs are held to it. */
export interface WayOut {
  /** By which programs find the proxy. */
  readonly env: Readonly<Record<string, string>>;
  letReach(hosts: readonly ReachableHost[]): Promise<void>;
  /** When no program of the attempt runs any more, or will. */
  release(): Promise<void>;
}

export type WayOutOptions = Omit<EgressOptions, "resolve">;

/** The network of one attempt. It is opened once, and all programs of the attempt share it. */
export class AttemptNetwork<Way extends WayOut> {
  readonly #openWay: () => Promise<Way>;
  #opening: Promise<Way> | undefined;
  #way: Way | undefined;

  constructor(
    openWay: (options: WayOutOptions) => Promise<Way>,
    privateHosts: readonly string[],
    wish: Pick<ConfinementWish, "policy" | "onRefused" | "carriesSecret">,
  ) {
    this.#openWay = () =>
      openWay({
        network: wish.policy.network,
        privateHosts,
        onRefused: (refusal) => wish.onRefused(refusal),
        carriesSecret: (text) => wish.carriesSecret(text),
      });
  }

  /** None: no program has one. */
  get way(): Way | undefined {
    return this.#way;
  }

  async open(): Promise<Way> {
    this.#opening ??= this.#openWay();
    this.#way = await this.#opening;
    return this.#way;
  }

  async letReach(hosts: readonly ReachableHost[]): Promise<void> {
    const way = await this.open();
    await way.letReach(hosts);
  }

  async release(): Promise<void> {
    await (await this.#opening?.catch(() => undefined))?.release();
  }
}
