import type { IdOf } from "../schema/index.ts";

/**
 * Makes what must not be guessed or repeated.
 *
 * - Ids MUST sort by the time they were made and hold at least 128 random bits: they are made by many
 *   processes at once, without asking each other.
 * - `token` MUST be unguessable: whoever holds an attempt's token may act as that attempt.
 */
export interface Mint {
  id<Prefix extends keyof IdOf>(prefix: Prefix): IdOf[Prefix];
  token(): string;
  /** SHA-256 in hex, of the UTF-8 bytes. */
  sha256(text: string): string;
}
