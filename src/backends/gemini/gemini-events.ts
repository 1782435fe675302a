// Gemini CLI's stream-json, in our words. Replies come in pieces; its exit codes are those of HTTP, modulo 256.
import { toolsCalled } from "../../domain/tool-names.ts";
import type { Effect } from "../../schema/index.ts";
import { EFFECTS, isCliTool } from "../cli/allowance.ts";
import { reasonOf } from "../cli/failure.ts";
import { countOf, type Fields, fieldsOf, jsonOf, saysUsage, textOf } from "../driven/json-fields.ts";
import type { Said, Translator } from "../cli/said.ts";
import { SERVER_OF_ATTEMPT } from "../own-tools/server-name.ts";

const MOST_OPEN_CALLS = 1_000;

export class GeminiEvents implements Translator {
  readonly #calls = new Map<string, Fields>();
  #pieces: string[] = [];
  /** The last message that was said: the answer, once it says that all went well. */
  #answer = "";
  #errors: string[] = [];
  /** Its words and the tool call that follows are one turn. */
  #hasSpoken = false;

  take(line: Fields): readonly Said[] {
    switch (line["type"]) {
      case "init": {
        const id = textOf(line["session_id"]);
        return id === undefined ? [] : [{ kind: "session", id }];
      }
      case "message":
        return this.#message(line);
      case "tool_use": {
        const said = this.#whole();
        if (this.#calls.size < MOST_OPEN_CALLS) this.#calls.set(textOf(line["tool_id"]) ?? "", line);
        this.#answer = "";
        return said;
      }
      case "tool_result":
        return [...this.#whole(), ...this.#result(line)];
      case "error": {
        const words = textOf(line["message"]) ?? "error";
        this.#errors = [...this.#errors, words].slice(-5);
        return [{ kind: "note", level: "warning", text: `gemini: ${words}` }];
      }
      case "result":
        return [...this.#whole(), ...this.#end(line)];
      default:
        return [];
    }
  }

  rest(): readonly Said[] {
    return this.#whole();
  }

  #message({ role, content, delta }: Fields): readonly Said[] {
    const text = textOf(content);
    if (role !== "assistant" || text === undefined) return [];
    const before = delta === true ? [] : this.#whole();
    this.#pieces.push(text);
    return [...before, { kind: "part", of: "text", text }];
  }

  #whole(): readonly Said[] {
    const text = this.#pieces.join("");
    this.#pieces = [];
    if (text === "") return [];
    this.#answer = text;
    this.#hasSpoken = true;
    return [{ kind: "turn" }, { kind: "text", text }];
  }

  #result(line: Fields): readonly Said[] {
    const id = textOf(line["tool_id"]) ?? "";
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    const name = textOf(call?.["tool_name"]) ?? "unknown";
    if (name.startsWith(`mcp_${SERVER_OF_ATTEMPT}_`)) return []; // our own tools write down themselves what they do
    const [tool] = toolsCalled("gemini", name) ?? [];
    const effect: Effect = tool !== undefined && isCliTool(tool) ? EFFECTS[tool] : "exec";
    const output = textOf(line["output"]) ?? textOf(fieldsOf(line["error"])["message"]) ?? "";
    const ok = line["status"] === "success";
    const begins: Said[] = this.#hasSpoken ? [] : [{ kind: "turn" }];
    this.#hasSpoken = false;
    return [
      ...begins,
      { kind: "used", tool: tool ?? name, effect, input: jsonOf(call?.["parameters"] ?? null), ok, output },
    ];
  }

  #end(line: Fields): readonly Said[] {
    const stats = fieldsOf(line["stats"]);
    const totals: readonly Said[] = saysUsage(stats) ? [{ kind: "totals", totals: totalsOf(stats) }] : [];
    if (line["status"] === "success") return [...totals, { kind: "answer", text: this.#answer }];
    const error = fieldsOf(line["error"]);
    const words = [textOf(error["message"]) ?? "", ...this.#errors].join("; ");
    const isOutOfTurns =
      /max(?:imum)? session turns|turn limit/i.test(words) || error["type"] === "FatalTurnLimitedError";
    const reason = isOutOfTurns ? "max_turns" : reasonOf(undefined, words);
    return [...totals, { kind: "failure", reason, message: words === "" ? "it failed without a word" : words }];
  }
}

/** Of this run only, other than with the others. */
const totalsOf = (stats: Fields) => ({
  inputTokens: countOf(stats["input_tokens"]),
  outputTokens:
    countOf(stats["total_tokens"]) - Math.min(countOf(stats["total_tokens"]), countOf(stats["input_tokens"])),
  cacheReadTokens: countOf(stats["cached"]),
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  microUsd: null,
});
