import { onLine } from "../../domain/on-line.ts";

const KEPT = 1000;

/** Says a problem once, and again only after it was gone. Saying it cannot fail whoever has it. */
export class Problems {
  readonly #tell: (message: string) => void;
  readonly #said = new Set<string>();

  constructor(tell: (message: string) => void) {
    this.#tell = tell;
  }

  raise(key: string, message: string): void {
    if (this.#said.has(key)) return;
    if (this.#said.size >= KEPT) this.#said.clear();
    this.#said.add(key);
    try {
      this.#tell(onLine(message));
    } catch {
      // There is nobody left to tell.
    }
  }

  clear(key: string): void {
    this.#said.delete(key);
  }
}

export const because = (error: unknown): string => (error instanceof Error ? error.message : String(error));
