import type { ProbePlace } from "./bubblewrap/probe.ts";

/** What a machine can do, found out once, by whoever needs it first. */
export class ProbedOnce<Found> {
  readonly #examine: (place: ProbePlace) => Promise<Found | "broken-off">;
  readonly #whenBroken: Found;
  #known: Promise<Found | "broken-off"> | undefined;

  constructor(examine: (place: ProbePlace) => Promise<Found | "broken-off">, whenBroken: Found) {
    this.#examine = examine;
    this.#whenBroken = whenBroken;
  }

  async find(place: ProbePlace): Promise<Found> {
    for (;;) {
      const isOwn = this.#known === undefined;
      const asked = (this.#known ??= this.#examine(place));
      const found = await asked;
      if (found !== "broken-off") return found;
      // Whoever asked was ended meanwhile. Whoever waited for the answer asks again.
      if (this.#known === asked) this.#known = undefined;
      if (isOwn) return this.#whenBroken;
    }
  }
}

export const BROKEN_OFF = "the look at what confines here was broken off";
