// What Kiro prints, in our words: each message of its model begins with "> ". That a turn really ran is said only among
// its complaints, as what it cost: without that there is no answer, whatever was printed and however it exits.
import { reasonOf } from "../cli/failure.ts";
import type { Said, Translator } from "../cli/said.ts";

// oxlint-disable-next-line no-control-regex -- colours are made of it
const COLOUR = /\u001b\[[0-9;?]*[A-Za-z]/g;
const COST = "▸ Credits:";
const NO_KEY = /Authentication failed|not logged in/i;
const MARK = "> ";
const MOST_CHARACTERS = 16 * 1024 * 1024;

export class KiroText implements Translator {
  readonly #session: string;
  #message: string[] | undefined;
  #characters = 0;
  #isPaid = false;
  #problem: string | undefined;

  constructor(session: string) {
    this.#session = session;
  }

  readonly plain = {
    out: (line: string): readonly Said[] => this.#line(line.replaceAll(COLOUR, "")),
    err: (line: string): void => {
      const text = line.replaceAll(COLOUR, "");
      if (text.includes(COST)) this.#isPaid = true;
      if (NO_KEY.test(text)) this.#problem = text.trim();
    },
  };

  take(): readonly Said[] {
    return [];
  }

  rest(): readonly Said[] {
    const answer = (this.#message ?? []).join("\n").trim();
    const said = this.#whole();
    if (this.#isPaid) return [...said, { kind: "session", id: this.#session }, { kind: "answer", text: answer }];
    if (this.#problem === undefined) return said;
    const message = this.#problem;
    const reason = reasonOf(undefined, message);
    return [...said, { kind: "failure", reason: reason === "backend_error" ? "backend_unavailable" : reason, message }];
  }

  #line(line: string): readonly Said[] {
    const begins = line.startsWith(MARK);
    const said = begins ? this.#whole() : [];
    const text = begins ? line.slice(MARK.length) : line;
    // What comes before the first message is not the model's.
    if (!begins && this.#message === undefined) return said;
    this.#characters += text.length;
    if (this.#characters > MOST_CHARACTERS) return said;
    this.#message = [...(this.#message ?? []), text];
    return [...said, { kind: "part", of: "text", text: `${text}\n` }];
  }

  #whole(): readonly Said[] {
    const text = (this.#message ?? []).join("\n").trim();
    this.#message = undefined;
    return text === "" ? [] : [{ kind: "turn" }, { kind: "text", text }];
  }
}
