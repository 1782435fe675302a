// Our messages as the SDK's prompt, and the places where Anthropic is to cache.
import type { Json, JsonObject } from "../schema/index.ts";
import type { ModelCall, ModelMessage, ModelTool } from "../ports/index.ts";
import { readOpaque } from "./opaque.ts";
import type { AssistantPart, FunctionTool, PromptMessage } from "./sdk.ts";

type ToolMessage = Extract<PromptMessage, { role: "tool" }>;

export function toPrompt(messages: readonly ModelMessage[], model: string): PromptMessage[] {
  const prompt: PromptMessage[] = [];
  const tools = new Map<string, string>();
  let results: ToolMessage | undefined;
  let isLeading = true;
  for (const message of messages) {
    if (message.role === "tool") {
      if (results === undefined) prompt.push((results = { role: "tool", content: [] }));
      results.content.push(toolResult(message, tools.get(message.call) ?? "unknown"));
      continue;
    }
    results = undefined;
    if (message.role === "system" && isLeading) {
      prompt.push({ role: "system", content: message.text });
      continue;
    }
    isLeading = false;
    if (message.role === "assistant") {
      for (const { id, tool } of message.calls) tools.set(id, nameOf(tool));
      const content = assistantParts(message, model);
      // An empty answer is nothing that can be sent back.
      if (content.length > 0) prompt.push({ role: "assistant", content });
    } else {
      prompt.push({ role: "user", content: [{ type: "text", text: message.text }] });
    }
  }
  return prompt;
}

const toolResult = (
  { call, text, isError }: Extract<ModelMessage, { role: "tool" }>,
  toolName: string,
): ToolMessage["content"][number] => ({
  type: "tool-result",
  toolCallId: call,
  toolName,
  output: { type: isError ? "error-text" : "text", value: text },
});

function assistantParts(message: Extract<ModelMessage, { role: "assistant" }>, model: string): AssistantPart[] {
  const blocks = readOpaque(message.opaque, model) ?? [];
  const left = new Map(message.calls.map((call) => [call.id, call]));
  const chars = blocks.reduce((sum, block) => sum + (block.type === "text" ? block.chars : 0), 0);
  // Where somebody shortened the text, the lengths say nothing any more, and it goes where its first piece was.
  const isWhole = chars === message.text.length;
  const parts: AssistantPart[] = [];
  let at = 0;
  for (const block of blocks) {
    const options = block.meta === undefined ? {} : { providerOptions: block.meta };
    if (block.type === "reasoning") {
      parts.push({ type: "reasoning", text: block.text, ...options });
    } else if (block.type === "text") {
      const end = isWhole ? at + block.chars : message.text.length;
      const text = message.text.slice(at, end);
      at = end;
      if (!isBlank(text) || block.meta !== undefined) parts.push({ type: "text", text, ...options });
    } else {
      const call = left.get(block.id);
      if (call === undefined) continue;
      left.delete(block.id);
      parts.push({ ...callPart(call), ...options });
    }
  }
  if (!isBlank(message.text.slice(at))) parts.push({ type: "text", text: message.text.slice(at) });
  for (const call of left.values()) parts.push(callPart(call));
  return parts;
}

/** Models write such before a call, and Anthropic refuses to be sent it. */
const isBlank = (text: string): boolean => text.trim() === "";

const callPart = ({ id, tool, input }: ModelCall): AssistantPart => ({
  type: "tool-call",
  toolCallId: id,
  toolName: nameOf(tool),
  // Every provider wants an object here, also for a call that was none.
  input: isObject(input) ? input : { invalid_input: input },
});

const LONGEST_NAME = 64;

/** Models call tools that nobody has by names that no provider takes back, and then all is refused. */
const nameOf = (tool: string): string => tool.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, LONGEST_NAME) || "unknown";

export const isObject = (value: Json): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const toTools = (tools: readonly ModelTool[]): FunctionTool[] =>
  tools.map(({ name, description, inputSchema }) => ({
    type: "function",
    name,
    description,
    inputSchema: isObject(inputSchema) ? inputSchema : { type: "object" },
  }));

const CACHED = { anthropic: { cacheControl: { type: "ephemeral" } } };

/**
 * Anthropic caches what is marked, four places at most: the last tool, the last system message, the last message, and
 * the message at which the previous request ended, so that its cache is found however much has come since.
 */
export function markForCache(prompt: readonly PromptMessage[], tools: readonly FunctionTool[]): void {
  const marks = [
    prompt.findLast(({ role }) => role === "system"),
    prompt.at(-1),
    prompt[prompt.findLastIndex(({ role }) => role === "assistant") - 1],
    tools.at(-1),
  ];
  for (const mark of marks) if (mark !== undefined) mark.providerOptions = CACHED;
}
