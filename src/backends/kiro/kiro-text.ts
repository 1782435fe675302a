// What Kiro prints, in our words: each message of its model begins with "> ". That a turn really ran is said only among
// its complaints, as what it cost: without that there is no answer, whatever was printed and however it exits.
import { reasonOf } from "../cli/failure.ts";
import type { Said, Translator } from "../cli/said.ts";

// oxlint-disable-next-line no-control-regex -- colours are made of it
const COLOUR = /\u001b\[[0-9;?]*[A-Za-z]/g;
const COST = "▸ Credits:";
const NO_KEY = /Authentication failed|not logged in/i;
const MARK = "> ";
/**
 * Where it colours its mark, a line that only begins like one is a quotation. By all reports it does so always: told to
 * leave colours out, it still resets them there. Of a mark without any of it, nobody could tell a quotation.
 */
// oxlint-disable-next-line no-control-regex -- colours are made of it
const COLOURED_MARK = /^(?:\u001b\[[0-9;?]*[A-Za-z])+> /;
const MOST_CHARACTERS = 16 * 1024 * 1024;

export class KiroText implements Translator {
  readonly #session: string;
  #message: string[] | undefined;
  #characters = 0;
  #isColoured = false;
  #isPaid = false;
  #problem: string | undefined;

  constructor(session: string) {
    this.#session = session;
  }

  readonly plain = {
    out: (line: string): readonly Said[] => {
      this.#isColoured ||= COLOURED_MARK.test(line);
      const begins = this.#isColoured ? COLOURED_MARK.test(line) : line.startsWith(MARK);
      return this.#line(line.replaceAll(COLOUR, ""), begins);
    },
    err: (line: string): void => {
      const text = line.replaceAll(COLOUR, "");
      // The last of them counts: a turn that was paid for may be followed by one that failed.
      if (text.includes(COST)) [this.#isPaid, this.#problem] = [true, undefined];
      else if (NO_KEY.test(text)) [this.#isPaid, this.#problem] = [false, text.trim()];
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

  #line(line: string, begins: boolean): readonly Said[] {
    const said = begins ? this.#whole() : [];
    const text = begins ? line.slice(MARK.length) : line;
    // What comes before the first message is not the model's.
    if (!begins && this.#message === undefined) return said;
    this.#message ??= [];
    this.#characters += text.length + 1;
    if (this.#characters > MOST_CHARACTERS) return said;
    this.#message.push(text);
    return [...said, { kind: "part", of: "text", text: `${text}\n` }];
  }

  #whole(): readonly Said[] {
    const text = (this.#message ?? []).join("\n").trim();
    this.#message = undefined;
    return text === "" ? [] : [{ kind: "turn" }, { kind: "text", text }];
  }
}
