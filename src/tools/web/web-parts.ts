import type { Clock, Credentials, Mint } from "../../ports/index.ts";
import type { Resolve } from "../../platform/public-address.ts";
import type { SearchSettings } from "./search-provider.ts";

/** All that the web tools need from outside. */
export interface WebParts {
  readonly clock: Clock;
  readonly mint: Pick<Mint, "token">;
  readonly credentials: Pick<Credentials, "value">;
  /** Hosts that may lie on this machine or in its network. The user's own word, never a project's. */
  readonly privateHosts?: readonly string[] | undefined;
  /** Whom to ask for WebSearch. The user's own word as well: the key goes there. Default: as the environment says. */
  readonly search?: SearchSettings | undefined;
  readonly resolve?: Resolve | undefined;
}
