// What is known of the programs that call: how long each of them waits for one call, and how much of an answer its
// model is shown before the rest is cut.

export interface HostBounds {
  /** How long a call waits where it does not say. */
  readonly waitMs: number;
  /** The most that a call can ask for. */
  readonly longestWaitMs: number;
  /** How much of an answer goes into one reply, in characters. */
  readonly pageChars: number;
}

/** Shorter than the shortest time limit that is known of any host, which is a minute. */
const SAFE_WAIT_MS = 50_000;

const UNKNOWN = { longestWaitMs: SAFE_WAIT_MS, pageChars: 8_000 };

/** By how the name begins that a program gives itself. */
const HOSTS: readonly (readonly [name: string, bounds: Omit<HostBounds, "waitMs">])[] = [
  ["claude-code", { longestWaitMs: 110_000, pageChars: 40_000 }],
  ["codex", { longestWaitMs: 280_000, pageChars: 9_000 }],
  ["gemini-cli", { longestWaitMs: 580_000, pageChars: 30_000 }],
  ["opencode", { longestWaitMs: SAFE_WAIT_MS, pageChars: 40_000 }],
];

/** `toldMs`: whoever set the server up knows the host's limit better than the table. */
export function boundsOf(host: string | undefined, toldMs?: number): HostBounds {
  const name = host?.toLowerCase() ?? "";
  const known = HOSTS.find(([prefix]) => name.startsWith(prefix))?.[1] ?? UNKNOWN;
  return toldMs === undefined
    ? { ...known, waitMs: SAFE_WAIT_MS }
    : { ...known, waitMs: toldMs, longestWaitMs: toldMs };
}
