import type { Pin } from "../schema/pin.ts";

export type { Pin, Rights } from "../schema/pin.ts";

/**
 * Which folders a person has trusted, and what of them was seen.
 *
 * - By real path: a link to a trusted folder is not another folder, and a trusted link that is turned
 *   elsewhere is not trusted any more.
 * - It reaches what lies below, but not into a repository that lies there: that is another's, and needs its own.
 * - MUST be kept outside of the folder in question: a repository cannot trust itself.
 * - Trust in a folder is no word on what comes into it later: a program that is new or changed, and a right that is
 *   wider than before, MUST be pinned before it is used. Revoking takes the pins along.
 * - Changes of several processes at once MUST all count.
 */
export interface Trust {
  isTrusted(folder: string): Promise<boolean>;
  grant(folder: string): Promise<void>;
  revoke(folder: string): Promise<void>;
  list(): Promise<readonly string[]>;
  /** Of a trusted folder. Null: whoever runs this process answers for all that is in it. */
  pinsOf(folder: string): Promise<readonly Pin[] | null>;
  /** Each takes the place of an earlier one of the same subject. */
  pin(folder: string, pins: readonly Pin[]): Promise<void>;
}
