// What a model's answers say that they have cost, read from the bytes on their way. It is what is known of a program
// that ended before it could say so itself.
import { Transform } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import type { ModelUsage } from "../../schema/index.ts";
import { countOf, fieldsOf } from "../driven/json-fields.ts";

/** A piece of an answer that is longer is not looked into. */
const LONGEST = 1024 * 1024;
const NOTHING: ModelUsage = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
};

export class UsageMeter {
  #usage: ModelUsage | undefined;

  /** What was counted since this was last asked. Undefined: nothing said anything. */
  take(): ModelUsage | undefined {
    const usage = this.#usage;
    this.#usage = undefined;
    return usage;
  }

  /** One answer goes through this, and comes out as it was. */
  watch(contentType: string): Transform {
    const isStream = contentType.startsWith("text/event-stream");
    const decoder = new StringDecoder("utf8");
    let rest = "";
    const take = (text: string): void => {
      const found = usageIn(text);
      if (found !== undefined) this.#usage = combined(this.#usage ?? NOTHING, found, seen);
    };
    const seen: Seen = { usage: NOTHING };
    return new Transform({
      transform(chunk: Buffer, _encoding, done) {
        const text = rest + decoder.write(chunk);
        const lines = isStream ? text.split("\n") : [text];
        rest = lines.pop() ?? "";
        for (const line of lines) take(line.replace(/^data:/, ""));
        if (rest.length > LONGEST) rest = "";
        done(null, chunk);
      },
      flush(done) {
        take(rest.replace(/^data:/, ""));
        done();
      },
    });
  }
}

interface Seen {
  usage: ModelUsage;
}

/** Within one answer, what comes later has what came before in it. */
function combined(total: ModelUsage, found: ModelUsage, seen: Seen): ModelUsage {
  const most = mapped((name) => Math.max(seen.usage[name], found[name]));
  const more = mapped((name) => total[name] + most[name] - seen.usage[name]);
  seen.usage = most;
  return more;
}

const mapped = (of: (name: keyof ModelUsage) => number): ModelUsage => ({
  inputTokens: of("inputTokens"),
  outputTokens: of("outputTokens"),
  cacheReadTokens: of("cacheReadTokens"),
  cacheWriteTokens: of("cacheWriteTokens"),
  reasoningTokens: of("reasoningTokens"),
});

function usageIn(text: string): ModelUsage | undefined {
  if (!text.includes('"usage')) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const answer = fieldsOf(Array.isArray(value) ? value.at(-1) : value);
  const usage = answer["usage"] ?? fieldsOf(answer["message"])["usage"] ?? fieldsOf(answer["response"])["usage"];
  if (usage !== undefined && usage !== null) return ofTokens(fieldsOf(usage));
  return answer["usageMetadata"] === undefined ? undefined : ofGoogle(fieldsOf(answer["usageMetadata"]));
}

/** Anthropic counts what has to do with its cache apart from the input; OpenAI counts it as a part. */
function ofTokens(usage: Readonly<Record<string, unknown>>): ModelUsage {
  const [read, written] = [countOf(usage["cache_read_input_tokens"]), countOf(usage["cache_creation_input_tokens"])];
  const input = countOf(usage["input_tokens"] ?? usage["prompt_tokens"]);
  const cached = fieldsOf(usage["input_tokens_details"] ?? usage["prompt_tokens_details"])["cached_tokens"];
  const details = fieldsOf(usage["output_tokens_details"] ?? usage["completion_tokens_details"]);
  return {
    inputTokens: input + read + written,
    outputTokens: countOf(usage["output_tokens"] ?? usage["completion_tokens"]),
    cacheReadTokens: read + countOf(cached),
    cacheWriteTokens: written,
    reasoningTokens: countOf(details["reasoning_tokens"]),
  };
}

function ofGoogle(usage: Readonly<Record<string, unknown>>): ModelUsage {
  const thoughts = countOf(usage["thoughtsTokenCount"]);
  return {
    inputTokens: countOf(usage["promptTokenCount"]) + countOf(usage["toolUsePromptTokenCount"]),
    outputTokens: countOf(usage["candidatesTokenCount"]) + thoughts,
    cacheReadTokens: countOf(usage["cachedContentTokenCount"]),
    cacheWriteTokens: 0,
    reasoningTokens: thoughts,
  };
}
