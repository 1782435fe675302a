// `codex exec --json`, in our words. A warning comes as an item of the type "error", a lost connection as an "error" that
// is tried again: only `turn.failed` is a failure. Usage is that of the whole thread.
import type { Effect, Json } from "../../schema/index.ts";
import { reasonOf } from "../cli/failure.ts";
import { countOf, type Fields, fieldsOf, jsonOf, listOf, textOf } from "../driven/json-fields.ts";
import type { Said, Translator } from "../cli/said.ts";
import { SERVER } from "../own-tools/server-name.ts";

export class CodexEvents implements Translator {
  #answer: string | undefined;
  #lastError: string | undefined;
  /** Its words and the tool call that follows are one turn. */
  #hasSpoken = false;

  take(line: Fields): readonly Said[] {
    switch (line["type"]) {
      case "thread.started": {
        const id = textOf(line["thread_id"]);
        return id === undefined ? [] : [{ kind: "session", id }];
      }
      case "item.completed":
        return this.#item(fieldsOf(line["item"]));
      case "error":
        this.#lastError = textOf(line["message"]) ?? "error";
        return [{ kind: "note", level: "warning", text: `codex: ${this.#lastError}` }];
      case "turn.failed": {
        const words = textOf(fieldsOf(line["error"])["message"]) ?? this.#lastError ?? "the turn failed";
        return [{ kind: "failure", reason: reasonOf(undefined, words), message: words }];
      }
      case "turn.completed":
        return [totalsOf(fieldsOf(line["usage"])), { kind: "answer", text: this.#answer ?? "" }];
      default:
        return [];
    }
  }

  rest(): readonly Said[] {
    return [];
  }

  #item(item: Fields): readonly Said[] {
    const text = textOf(item["text"]) ?? "";
    switch (item["type"]) {
      case "agent_message":
        this.#answer = text;
        this.#hasSpoken = true;
        return [{ kind: "turn" }, { kind: "text", text }];
      case "reasoning":
        return [{ kind: "part", of: "reasoning", text }];
      case "error":
        return [
          { kind: "note", level: "warning", text: `codex: ${textOf(item["message"]) ?? "a warning without words"}` },
        ];
      default: {
        const used = usedTool(item);
        if (used === undefined) return [];
        const begins: Said[] = this.#hasSpoken ? [] : [{ kind: "turn" }];
        this.#hasSpoken = false;
        return [...begins, used];
      }
    }
  }
}

function usedTool(item: Fields): Said | undefined {
  const ok = item["status"] === "completed" && (item["exit_code"] === undefined || item["exit_code"] === 0);
  const used = (tool: string, effect: Effect, input: Json, output: string, isOk = ok): Said => ({
    kind: "used",
    tool,
    effect,
    input,
    ok: isOk,
    output,
  });
  switch (item["type"]) {
    case "command_execution": {
      const output = textOf(item["aggregated_output"]) ?? "";
      return used("Bash", "exec", { command: textOf(item["command"]) ?? "" }, output);
    }
    case "file_change": {
      const changes = listOf(item["changes"]).map(fieldsOf);
      const output = changes.map(({ kind, path }) => `${String(kind)} ${String(path)}`).join("\n");
      return used("Edit", "write", jsonOf({ changes }), output);
    }
    case "mcp_tool_call": {
      if (item["server"] === SERVER) return undefined; // our own tools write down themselves what they do
      const name = `mcp__${textOf(item["server"]) ?? ""}__${textOf(item["tool"]) ?? ""}`;
      return used(
        name,
        "exec",
        jsonOf(item["arguments"] ?? null),
        JSON.stringify(jsonOf(item["result"] ?? item["error"] ?? null)),
      );
    }
    case "web_search":
      return used("WebSearch", "net", { query: textOf(item["query"]) ?? "" }, "", true);
    case "todo_list":
      return used("TodoWrite", "none", jsonOf(item["items"] ?? []), "", true);
    case "collab_tool_call":
      return used("Task", "delegate", jsonOf({ tool: item["tool"] ?? null, prompt: item["prompt"] ?? null }), "");
    default:
      return undefined;
  }
}

const totalsOf = (usage: Fields): Said => ({
  kind: "totals",
  totals: {
    inputTokens: countOf(usage["input_tokens"]),
    outputTokens: countOf(usage["output_tokens"]),
    cacheReadTokens: countOf(usage["cached_input_tokens"]),
    cacheWriteTokens: countOf(usage["cache_write_input_tokens"]),
    reasoningTokens: countOf(usage["reasoning_output_tokens"]),
    microUsd: null,
  },
});
