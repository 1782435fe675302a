import { hash, randomBytes } from "node:crypto";

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"; // Crockford's base 32, in its sorting order
const TIME_LENGTH = 10; // 50 bits of milliseconds
const RANDOM_LENGTH = 26; // 130 bits

/** The time, so that ids sort by age, then randomness. */
export function mintId(now: number): string {
  let time = "";
  for (let left = now, i = 0; i < TIME_LENGTH; i++, left = Math.floor(left / 32))
    time = ALPHABET.charAt(left % 32) + time;
  let random = "";
  // One byte a character, of which five bits are taken: simple, and unbiased since 32 divides 256.
  for (const byte of chance(RANDOM_LENGTH)) random += ALPHABET.charAt(byte % 32);
  return `${time}${random}`;
}

export const mintToken = (): string => chance(32).toString("base64url");

export const sha256 = (text: string): string => hash("sha256", text, "hex");

const POOL_BYTES = 4096;
let pool = Buffer.alloc(0);
let used = 0;

/** Asking the system costs more than what is asked for: it is asked for many at once. No byte is given twice. */
function chance(length: number): Buffer {
  if (used + length > pool.length) {
    pool = randomBytes(POOL_BYTES);
    used = 0;
  }
  used += length;
  return pool.subarray(used - length, used);
}
