// Which files the model knows, as they were when it last read or wrote them. What has changed since, or was never
// read, is not overwritten: the model would destroy work that it has not seen.
import type { BigIntStats } from "node:fs";
import { invalidInput } from "../../errors/index.ts";
import type { ReplaceCheck } from "../../platform/confined-files.ts";
import type { Place } from "./places.ts";

export class SeenFiles {
  readonly #seen = new Map<string, string>();

  saw(place: Place, info: BigIntStats): void {
    this.#seen.set(place.shown, fingerprintOf(info));
  }

  /** For a whole new content: an existing file must be known as it is. */
  checkKnown(place: Place): ReplaceCheck {
    return (now) => {
      if (now === null) return;
      if (!this.#seen.has(place.shown)) {
        throw invalidInput(`${place.shown} exists, and has not been read in this attempt`, {
          hint: "Read it first, then write it again; or change a part of it with Edit.",
        });
      }
      this.checkUnchanged(place, now);
    };
  }

  /** A file that was never seen passes. */
  checkUnchanged(place: Place, now: BigIntStats): void {
    const seen = this.#seen.get(place.shown);
    if (seen === undefined || seen === fingerprintOf(now)) return;
    throw invalidInput(`${place.shown} has changed since it was read`, { hint: "Read it again, then repeat this." });
  }
}

/** Changes whenever the file does, or another is put in its place. */
export const fingerprintOf = ({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string =>
  [dev, ino, size, mtimeNs, ctimeNs].join(" ");
