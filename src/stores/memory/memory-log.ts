import type { Envelope, LogEvent, StreamName } from "../../schema/index.ts";
import type { Bell, ReadQuery } from "../../ports/index.ts";

/** The events, in commit order, and the bell. A position is an index plus one, so it can have no gap. */
export class MemoryLog {
  readonly #envelopes: Envelope[] = [];
  readonly #streams = new Map<StreamName, Envelope[]>();
  readonly #bells = new Set<Bell>();

  add(stream: StreamName, event: LogEvent, at: number, attempt: number | null): Envelope {
    const own = this.#streams.get(stream) ?? [];
    const envelope: Envelope = {
      position: this.#envelopes.length + 1,
      stream,
      seq: own.length + 1,
      at,
      attempt,
      // A copy, as a database would make: a caller that goes on changing its object changes no history.
      event: structuredClone(event),
    };
    this.#envelopes.push(envelope);
    own.push(envelope);
    this.#streams.set(stream, own);
    return envelope;
  }

  get head(): number {
    return this.#envelopes.length;
  }

  read({ stream, after, limit }: ReadQuery): Envelope[] {
    if (stream === undefined) return this.#envelopes.slice(after, after + limit);
    return (this.#streams.get(stream) ?? []).filter(({ position }) => position > after).slice(0, limit);
  }

  subscribe(ring: Bell): Disposable {
    const bell: Bell = (written) => ring(written);
    this.#bells.add(bell);
    return { [Symbol.dispose]: () => void this.#bells.delete(bell) };
  }

  /** For what was written after this position. */
  ring(after: number): void {
    const written = this.#envelopes
      .slice(after)
      .map(({ position, stream, event }) => ({ position, stream, type: event.type }));
    for (const bell of this.#bells) bell(written);
  }
}
