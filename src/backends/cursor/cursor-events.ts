// `cursor-agent -p --output-format stream-json`, in our words. A tool call is an object with one field, whose name says
// which tool it was. Only a last event that calls itself a success, and no error, is an answer.
import type { Effect, Json } from "../../schema/index.ts";
import { EFFECTS, type CliTool } from "../cli/allowance.ts";
import { reasonOf } from "../cli/failure.ts";
import { type Fields, fieldsOf, jsonOf, listOf, textOf } from "../driven/json-fields.ts";
import type { Said, Translator } from "../cli/said.ts";

const TOOLS: Readonly<Record<string, CliTool>> = {
  readToolCall: "Read",
  lsToolCall: "List",
  globToolCall: "Glob",
  grepToolCall: "Grep",
  writeToolCall: "Write",
  editToolCall: "Edit",
  deleteToolCall: "Edit",
  shellToolCall: "Bash",
  webFetchToolCall: "WebFetch",
  webSearchToolCall: "WebSearch",
  updateTodosToolCall: "TodoWrite",
};

export class CursorEvents implements Translator {
  /** Its words and the tool call that follows are one turn. */
  #hasSpoken = false;
  /** The result repeats everything that was said; the answer is the last of it. */
  #answer = "";

  take(line: Fields): readonly Said[] {
    const { type, subtype } = line;
    switch (type) {
      case "system": {
        const id = textOf(line["session_id"]);
        return subtype !== "init" || id === undefined ? [] : [{ kind: "session", id }];
      }
      case "thinking": {
        const text = textOf(line["text"]);
        return subtype !== "delta" || text === undefined ? [] : [{ kind: "part", of: "reasoning", text }];
      }
      case "assistant":
        return this.#assistant(textIn(line));
      case "tool_call":
        return subtype === "completed" ? this.#used(fieldsOf(line["tool_call"])) : [];
      case "result":
        return this.#end(line);
      default:
        return [];
    }
  }

  rest(): readonly Said[] {
    return [];
  }

  #assistant(text: string): readonly Said[] {
    if (text.trim() === "") return [];
    this.#hasSpoken = true;
    this.#answer = text;
    return [{ kind: "turn" }, { kind: "text", text }];
  }

  #used(call: Fields): readonly Said[] {
    const [name, what] = Object.entries(call)[0] ?? ["unknown", {}];
    const { args, result } = fieldsOf(what);
    const tool = Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined;
    const effect: Effect = tool === undefined ? "exec" : EFFECTS[tool];
    const { success } = fieldsOf(result);
    const failedBy = fieldsOf(success)["exitCode"];
    const begins: Said[] = this.#hasSpoken ? [] : [{ kind: "turn" }];
    this.#hasSpoken = false;
    this.#answer = "";
    return [
      ...begins,
      {
        kind: "used",
        tool: tool ?? name,
        effect,
        input: jsonOf(args ?? null),
        ok: success !== undefined && (failedBy === undefined || failedBy === 0),
        output: outputOf(jsonOf(result ?? null)),
      },
    ];
  }

  #end(line: Fields): readonly Said[] {
    const words = textOf(line["result"]) ?? "";
    if (line["subtype"] === "success" && line["is_error"] === false) {
      return [{ kind: "answer", text: this.#answer === "" ? words : this.#answer }];
    }
    const message = words === "" ? "it failed without a word" : words;
    return [{ kind: "failure", reason: reasonOf(undefined, message), message }];
  }
}

const textIn = (line: Fields): string =>
  listOf(fieldsOf(line["message"])["content"])
    .map((block) => textOf(fieldsOf(block)["text"]) ?? "")
    .join("");

/** What a command printed, as it is; anything else as it was said. */
function outputOf(result: Json): string {
  const { stdout, stderr, content } = fieldsOf(fieldsOf(result)["success"]);
  const printed = [textOf(stdout), textOf(stderr), textOf(content)].filter((text) => text !== undefined && text !== "");
  return printed.length > 0 ? printed.join("\n") : JSON.stringify(result);
}
