import type { Redactor } from "../domain/redaction.ts";
import type { LivePart } from "../schema/index.ts";

type Said = { readonly type: string; readonly call?: string };

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

  /** What comes next is said as a whole: nothing more belongs to what waits, but for the output of calls that still run. */
  before(entries: readonly Said[]): void {
    const isOver = (call: string) => entries.some((one) => one.type === "tool.returned" && one.call === call);
    for (const [key, { part }] of this.#waiting) if (part.type !== "output-delta" || isOver(part.call)) this.#end(key);
  }

  flush(): void {
    for (const key of this.#waiting.keys()) this.#end(key);
  }

  #end(key: string): void {
    const waiting = this.#waiting.get(key);
    this.#waiting.delete(key);
    if (waiting !== undefined) this.#pass(waiting.part, waiting.pieces.flush());
  }

  #pass(part: LivePart, text: string): void {
    if (text !== "") this.#show({ ...part, text });
  }
}
