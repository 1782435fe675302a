// Claude Code's stream-json, in our words. Its result says "success" also where the API refused: `is_error` counts. With
// tasks in the background there are several results, of which the last one counts.
import { countOf, type Fields, fieldsOf, jsonOf, listOf, textOf } from "../driven/json-fields.ts";
import { reasonOf } from "../cli/failure.ts";
import type { Said, Totals, Translator, WantedTool } from "../cli/said.ts";
import type { FailReason } from "../../schema/index.ts";
import { calledBy } from "../own-tools/server-name.ts";
import { type CallReader, STRUCTURED, wantedTool } from "./claude-tools.ts";

/** The request that puts our hook before every tool. */
export const HOOKS = "cadre-hooks";

export class ClaudeEvents implements Translator {
  /** What it is told once the hook stands, and not before. */
  readonly #first: string;
  readonly #reader: CallReader;
  readonly #hasOwnTools: boolean;
  readonly #permitted = new Set<string>();
  /** Calls that it has announced and not asked about: of a tool that was not given to it, it says so itself. */
  readonly #announced = new Map<string, WantedTool>();
  #message: string | undefined;

  constructor(first: string, reader: CallReader, hasOwnTools: boolean) {
    this.#hasOwnTools = hasOwnTools;
    this.#first = first;
    this.#reader = reader;
  }

  take(line: Fields): readonly Said[] {
    // What a sub-agent of its own says is no word of this agent. None is offered; one may come with a plugin.
    if (typeof line["parent_tool_use_id"] === "string") return [];
    switch (line["type"]) {
      case "system":
        return this.#system(line);
      case "assistant":
        return this.#assistant(fieldsOf(line["message"]));
      case "user":
        return listOf(fieldsOf(line["message"])["content"]).flatMap((block) => this.#returned(fieldsOf(block)));
      case "stream_event":
        return parts(fieldsOf(line["event"]));
      case "control_response":
        return this.#response(fieldsOf(line["response"]));
      case "control_request":
        return this.#request(textOf(line["request_id"]) ?? "", fieldsOf(line["request"]));
      case "result":
        return result(line);
      default:
        return [];
    }
  }

  rest(): readonly Said[] {
    return [];
  }

  #response({ request_id, subtype, error }: Fields): readonly Said[] {
    if (request_id !== HOOKS) return [];
    if (subtype === "success") return [{ kind: "tell", text: this.#first }];
    const message = `it does not take our hook: ${textOf(error) ?? "no reason given"}`;
    return [{ kind: "failure", reason: "backend_error", message }, { kind: "idle" }];
  }

  #system(line: Fields): readonly Said[] {
    const id = textOf(line["session_id"]);
    switch (line["subtype"]) {
      case "init":
        return id === undefined ? [] : [{ kind: "session", id }];
      case "api_retry":
        return [
          {
            kind: "note",
            level: "warning",
            text: `claude tries again: ${textOf(line["error"]) ?? String(line["error_status"])}`,
          },
        ];
      default:
        return [];
    }
  }

  /** A reply comes in several events, one for each of its blocks. */
  #assistant(message: Fields): readonly Said[] {
    if (message["model"] === "<synthetic>") return []; // its own words about an error, which the result has too
    const id = textOf(message["id"]);
    const begins: Said[] = id !== undefined && id === this.#message ? [] : [{ kind: "turn" }];
    this.#message = id;
    const texts = listOf(message["content"]).flatMap((block): Said[] => {
      const { type, text, id: call, name, input } = fieldsOf(block);
      if (type === "tool_use" && typeof call === "string" && !this.#isHarmless(textOf(name) ?? ""))
        this.#announced.set(call, wantedTool(textOf(name) ?? "", input, this.#reader));
      return type === "text" && typeof text === "string" ? [{ kind: "text", text }] : [];
    });
    return [...begins, ...texts];
  }

  #returned(block: Fields): readonly Said[] {
    const id = textOf(block["tool_use_id"]);
    if (block["type"] !== "tool_result" || id === undefined) return [];
    const { content } = block;
    const texts = listOf(content).map((one) => textOf(fieldsOf(one)["text"]) ?? "");
    const output = textOf(content) ?? texts.join("\n");
    const ok = block["is_error"] !== true;
    const unasked = this.#announced.get(id);
    this.#announced.delete(id);
    if (unasked === undefined) return [{ kind: "returned", id, ok, output }];
    const { tool, use, input } = unasked;
    return [{ kind: "used", tool, effect: use.effect, input, ok, output }];
  }

  #request(id: string, request: Fields): readonly Said[] {
    if (request["subtype"] === "hook_callback") return [this.#hook(id, fieldsOf(request["input"]))];
    // Asked a second time about files that are dear to it: the answer was given by the hook.
    const isPermitted =
      request["subtype"] === "can_use_tool" && this.#permitted.has(textOf(request["tool_use_id"]) ?? "");
    const response = isPermitted
      ? { behavior: "allow", updatedInput: jsonOf(request["input"]) }
      : { behavior: "deny", message: "not allowed" };
    return [{ kind: "tell", text: control(id, response) }];
  }

  /** Does nothing by itself. What our own tools do is put to the policy where they are. */
  #isHarmless(name: string): boolean {
    return name === STRUCTURED || (this.#hasOwnTools && name.startsWith(calledBy("")));
  }

  #hook(id: string, input: Fields): Said {
    const name = textOf(input["tool_name"]) ?? "";
    const call = textOf(input["tool_use_id"]) ?? "";
    const decided = (isAllowed: boolean, rule: string) => {
      if (isAllowed) this.#permitted.add(call);
      return control(id, {
        hookSpecificOutput: {
          hookEventName: "PreToolUse",
          permissionDecision: isAllowed ? "allow" : "deny",
          permissionDecisionReason: isAllowed ? rule : `denied by the policy (${rule})`,
        },
      });
    };
    this.#announced.delete(call);
    if (this.#isHarmless(name)) return { kind: "tell", text: decided(true, "its answer, or a tool of Cadre's") };
    const wanted = wantedTool(name, input["tool_input"], this.#reader);
    return { kind: "wants", id: call, wanted, reply: decided };
  }
}

const control = (request_id: string, response: object): string =>
  `${JSON.stringify({ type: "control_response", response: { subtype: "success", request_id, response } })}\n`;

function parts(event: Fields): readonly Said[] {
  const { type, text, thinking } = fieldsOf(event["delta"]);
  if (type === "text_delta" && typeof text === "string") return [{ kind: "part", of: "text", text }];
  if (type === "thinking_delta" && typeof thinking === "string")
    return [{ kind: "part", of: "reasoning", text: thinking }];
  return [];
}

function result(line: Fields): readonly Said[] {
  const said: Said[] = [{ kind: "totals", totals: totalsOf(line) }];
  const words =
    textOf(line["result"]) ??
    listOf(line["errors"])
      .filter((one) => typeof one === "string")
      .join("; ");
  const subtype = textOf(line["subtype"]) ?? "";
  const reason = failureOf(subtype, line, words);
  const output = line["structured_output"] === undefined ? undefined : jsonOf(line["structured_output"]);
  said.push(
    reason === undefined
      ? { kind: "answer", text: words, output }
      : { kind: "failure", reason, message: words === "" ? subtype : words },
  );
  const waiting = countOf(line["queued_turn_count"]);
  return waiting > 0 ? said : [...said, { kind: "idle" }];
}

const BY_SUBTYPE: Readonly<Record<string, FailReason>> = {
  error_max_turns: "max_turns",
  error_max_budget_usd: "budget",
  error_max_structured_output_retries: "invalid_output",
};

function failureOf(subtype: string, line: Fields, words: string): FailReason | undefined {
  const known = BY_SUBTYPE[subtype];
  if (known !== undefined) return known;
  if (line["stop_reason"] === "refusal") return "refused";
  if (line["is_error"] !== true && subtype === "success") return undefined;
  const status = line["api_error_status"];
  return reasonOf(typeof status === "number" ? status : undefined, words);
}

/** All of the conversation, resumed runs included: `usage` is only the last turn's. */
function totalsOf(line: Fields): Totals {
  const each = Object.values(fieldsOf(line["modelUsage"])).map(fieldsOf);
  const sum = (name: string) => each.reduce((all, one) => all + countOf(one[name]), 0);
  const [read, written] = [sum("cacheReadInputTokens"), sum("cacheCreationInputTokens")];
  const usd = line["total_cost_usd"];
  return {
    inputTokens: sum("inputTokens") + read + written,
    outputTokens: sum("outputTokens"),
    cacheReadTokens: read,
    cacheWriteTokens: written,
    reasoningTokens: sum("thinkingTokens"),
    microUsd: typeof usd === "number" && usd >= 0 ? Math.ceil(usd * 1_000_000 - 1e-6) : null,
  };
}
