// `droid exec --output-format stream-json`, in our words. Calls, their results and its words are events of their own;
// only `completion` without an error is an answer.
import { toolsCalled } from "../../domain/tool-names.ts";
import type { Effect } from "../../schema/index.ts";
import { EFFECTS, isCliTool } from "../cli/allowance.ts";
import { reasonOf } from "../cli/failure.ts";
import { countOf, type Fields, fieldsOf, jsonOf, saysUsage, textOf } from "../driven/json-fields.ts";
import type { Said, Translator } from "../cli/said.ts";

const MOST_OPEN_CALLS = 1_000;

export class DroidEvents implements Translator {
  readonly #calls = new Map<string, Fields>();
  /** Its words and the tool call that follows are one turn. */
  #hasSpoken = false;

  take(line: Fields): readonly Said[] {
    const text = textOf(line["text"]) ?? "";
    switch (line["type"]) {
      case "system": {
        const id = textOf(line["session_id"]);
        return line["subtype"] !== "init" || id === undefined ? [] : [{ kind: "session", id }];
      }
      case "reasoning":
        return [{ kind: "part", of: "reasoning", text }];
      case "message":
        if (line["role"] !== "assistant" || text.trim() === "") return [];
        this.#hasSpoken = true;
        return [{ kind: "turn" }, { kind: "text", text }];
      case "tool_call":
        if (this.#calls.size < MOST_OPEN_CALLS) this.#calls.set(textOf(line["id"]) ?? "", line);
        return [];
      case "tool_result":
        return this.#used(line);
      case "error":
        return [failure(textOf(line["message"]))];
      case "completion":
        return [...totalsOf(fieldsOf(line["usage"])), ended(line)];
      default:
        return [];
    }
  }

  rest(): readonly Said[] {
    return [];
  }

  #used(line: Fields): readonly Said[] {
    const id = textOf(line["id"]) ?? "";
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    const name = textOf(call?.["toolName"]) ?? textOf(line["toolId"]) ?? "unknown";
    const [tool] = toolsCalled("factory", name) ?? [];
    const effect: Effect = tool !== undefined && isCliTool(tool) ? EFFECTS[tool] : "exec";
    const begins: Said[] = this.#hasSpoken ? [] : [{ kind: "turn" }];
    this.#hasSpoken = false;
    const { value } = line;
    return [
      ...begins,
      {
        kind: "used",
        tool: tool ?? name,
        effect,
        input: jsonOf(call?.["parameters"] ?? null),
        ok: line["isError"] === false,
        output: textOf(value) ?? JSON.stringify(jsonOf(value ?? null)),
      },
    ];
  }
}

function ended(line: Fields): Said {
  const words = textOf(line["finalText"]);
  return line["isError"] === undefined || line["isError"] === false
    ? { kind: "answer", text: words ?? "" }
    : failure(words);
}

function failure(words = "it failed without a word"): Said {
  return { kind: "failure", reason: reasonOf(undefined, words), message: words };
}

/** Nothing where it does not say: what is not known must not count as nothing. */
const totalsOf = (usage: Fields): readonly Said[] => {
  if (!saysUsage(usage)) return [];
  const [read, written] = [countOf(usage["cache_read_input_tokens"]), countOf(usage["cache_creation_input_tokens"])];
  const totals = {
    inputTokens: countOf(usage["input_tokens"]) + read + written,
    outputTokens: countOf(usage["output_tokens"]),
    cacheReadTokens: read,
    cacheWriteTokens: written,
    reasoningTokens: countOf(usage["thinking_tokens"]),
    microUsd: null,
  };
  return [{ kind: "totals", totals }];
};
