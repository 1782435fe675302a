// What a host shows its model, read from the requests of three protocols: the tools, and what they have answered.
import type { Asked } from "../model-server.ts";

/** The results of all calls so far, oldest first. */
export function resultsIn({ body }: Asked): string[] {
  const { messages, input, contents } = body as Bodies;
  if (Array.isArray(messages))
    return partsOf(messages).flatMap((part) => (part["type"] === "tool_result" ? [textOf(part["content"])] : []));
  if (Array.isArray(input))
    return input.flatMap((item) => (item["type"] === "function_call_output" ? [textOf(item["output"])] : []));
  const parts = (contents ?? []).flatMap((one) => one["parts"] as Part[]);
  return parts.flatMap(({ functionResponse }) =>
    functionResponse === undefined ? [] : [geminiText(functionResponse as { response: Part })],
  );
}

/** The names of all tools that the model may call, as the host has named them; of those to be searched for, whose. */
export function toolsIn({ body }: Asked): string[] {
  const { tools = [] } = body as Bodies;
  return tools.flatMap((tool) => {
    if (tool["type"] === "tool_search") return String(tool["description"]).match(/(?<=^- )[\w-]+(?=:)/gm) ?? [];
    const inner = (tool["functionDeclarations"] ?? tool["tools"]) as Part[] | undefined;
    return inner === undefined ? [String(tool["name"])] : inner.map(({ name }) => String(name));
  });
}

/** A field of a task, of a result as JSON or as text. */
export function fieldIn(result: string, name: string): string | undefined {
  const inJson = new RegExp(`"${name}":\\s*("(?:[^"\\\\]|\\\\.)*"|[\\w.]+)`).exec(result)?.[1];
  if (inJson !== undefined) return inJson.startsWith('"') ? (JSON.parse(inJson) as string) : inJson;
  return new RegExp(`^${name}: (.*)$`, "m").exec(result)?.[1];
}

/** The part of an answer that stands in a result. */
export function outputIn(result: string): string | undefined {
  const enveloped = /<cadre:context [^>]*>\n(.*)\n<\/cadre:context/s.exec(result)?.[1];
  return enveloped ?? fieldIn(result, "output");
}

type Part = Readonly<Record<string, unknown>>;

interface Bodies {
  readonly messages?: Part[];
  readonly input?: Part[];
  readonly contents?: Part[];
  readonly tools?: Part[];
}

const partsOf = (messages: readonly Part[]): Part[] =>
  messages.flatMap(({ content }) => (Array.isArray(content) ? (content as Part[]) : []));

const textOf = (content: unknown): string =>
  Array.isArray(content) ? (content as { text?: string }[]).map(({ text = "" }) => text).join("\n") : String(content);

function geminiText({ response }: { response: Part }): string {
  const said = response["output"] ?? response["error"];
  return typeof said === "string" ? said : JSON.stringify(response);
}
