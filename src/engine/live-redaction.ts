import type { Redactor } from "../domain/redaction.ts";
import type { LivePart } from "../schema/index.ts";

type Pieces = ReturnType<Redactor["stream"]>;

/** Live parts without known secrets, also where one comes in pieces. What may be the beginning of one waits for the rest. */
export class LiveRedaction {
  readonly #secrets: Redactor;
  readonly #show: (part: LivePart) => void;
  readonly #waiting = new Map<string, { readonly pieces: Pieces; readonly part: LivePart }>();

  constructor(secrets: Redactor, show: (part: LivePart) => void) {
    this.#secrets = secrets;
    this.#show = show;
  }

  write(part: LivePart): void {
    const key = part.type === "output-delta" ? part.call : part.type;
    const known = this.#waiting.get(key);
    const pieces = known?.pieces ?? this.#secrets.stream();
    if (known === undefined) this.#waiting.set(key, { pieces, part });
    this.#pass(part, pieces.write(part.text));
  }

  /** What comes next is said as a whole: nothing more belongs to what waits. */
  flush(): void {
    for (const { pieces, part } of this.#waiting.values()) this.#pass(part, pieces.flush());
    this.#waiting.clear();
  }

  #pass(part: LivePart, text: string): void {
    if (text !== "") this.#show({ ...part, text });
  }
}
