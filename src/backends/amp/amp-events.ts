// `amp -x --stream-json`, in our words. It has the form of Claude Code's, without what that says of the whole
// conversation: usage stands at each message.
import type { Effect, Json, ModelUsage } from "../../schema/index.ts";
import { EFFECTS, type CliTool } from "../cli/allowance.ts";
import { reasonOf } from "../cli/failure.ts";
import { countOf, type Fields, fieldsOf, jsonOf, listOf, saysUsage, textOf } from "../driven/json-fields.ts";
import type { Said, Translator } from "../cli/said.ts";

const MOST_OPEN_CALLS = 1_000;

const TOOLS: Readonly<Record<string, CliTool>> = {
  shell_command: "Bash",
  Bash: "Bash",
  Read: "Read",
  glob: "Glob",
  Glob: "Glob",
  Grep: "Grep",
  apply_patch: "Edit",
  edit_file: "Edit",
  create_file: "Write",
  read_web_page: "WebFetch",
  web_search: "WebSearch",
};

export class AmpEvents implements Translator {
  readonly #calls = new Map<string, { readonly name: string; readonly input: Json }>();
  /** None of its messages may have said so. */
  #hasUsage = false;
  #usage: ModelUsage = {
    inputTokens: 0,
    outputTokens: 0,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
  };

  take(line: Fields): readonly Said[] {
    const message = fieldsOf(line["message"]);
    const isOfChild = typeof line["parent_tool_use_id"] === "string";
    switch (line["type"]) {
      case "system": {
        const id = textOf(line["session_id"]);
        return line["subtype"] !== "init" || id === undefined ? [] : [{ kind: "session", id }];
      }
      case "assistant":
        this.#count(fieldsOf(message["usage"])); // also of a sub-agent's: it is paid for as well
        return isOfChild ? [] : this.#assistant(message);
      case "user":
        return isOfChild ? [] : listOf(message["content"]).flatMap((block) => this.#used(fieldsOf(block)));
      case "result":
        return [...this.#totals(), ended(line)];
      default:
        return [];
    }
  }

  rest(): readonly Said[] {
    return [];
  }

  #assistant(message: Fields): readonly Said[] {
    const said = listOf(message["content"]).flatMap((one): Said[] => {
      const { type, text, id, name, input } = fieldsOf(one);
      if (type === "tool_use" && typeof id === "string" && this.#calls.size < MOST_OPEN_CALLS)
        this.#calls.set(id, { name: textOf(name) ?? "unknown", input: jsonOf(input ?? null) });
      return type === "text" && typeof text === "string" ? [{ kind: "text", text }] : [];
    });
    return [{ kind: "turn" }, ...said];
  }

  #used(block: Fields): readonly Said[] {
    if (block["type"] !== "tool_result") return [];
    const id = textOf(block["tool_use_id"]) ?? "";
    const { name, input } = this.#calls.get(id) ?? { name: "unknown", input: null };
    this.#calls.delete(id);
    const tool = Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined;
    const effect: Effect = tool === undefined ? "exec" : EFFECTS[tool];
    const { content } = block;
    const output =
      textOf(content) ??
      listOf(content)
        .map((one) => textOf(fieldsOf(one)["text"]) ?? "")
        .join("\n");
    return [{ kind: "used", tool: tool ?? name, effect, input, ok: block["is_error"] !== true, output }];
  }

  #totals(): readonly Said[] {
    return this.#hasUsage ? [{ kind: "totals", totals: { ...this.#usage, microUsd: null } }] : [];
  }

  #count(usage: Fields): void {
    this.#hasUsage ||= saysUsage(usage);
    const [read, written] = [countOf(usage["cache_read_input_tokens"]), countOf(usage["cache_creation_input_tokens"])];
    const sofar = this.#usage;
    this.#usage = {
      inputTokens: sofar.inputTokens + countOf(usage["input_tokens"]) + read + written,
      outputTokens: sofar.outputTokens + countOf(usage["output_tokens"]),
      cacheReadTokens: sofar.cacheReadTokens + read,
      cacheWriteTokens: sofar.cacheWriteTokens + written,
      reasoningTokens: 0,
    };
  }
}

function ended(line: Fields): Said {
  const words = textOf(line["result"]) ?? textOf(line["error"]) ?? "";
  const subtype = textOf(line["subtype"]) ?? "";
  if (subtype === "success" && line["is_error"] === false) return { kind: "answer", text: words };
  const message = words === "" ? `it ended with "${subtype}"` : words;
  return {
    kind: "failure",
    reason: subtype === "error_max_turns" ? "max_turns" : reasonOf(undefined, message),
    message,
  };
}
