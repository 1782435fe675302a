// Every provider, each with a scripted server behind it.
import type { Model, ModelPart, ModelRequest, ModelTool } from "../../src/ports/index.ts";
import { openModels, type ModelSettingsInput, type ModelsOptions } from "../../src/models/index.ts";
import { fakeClock } from "../../src/testing/index.ts";
import { startWireServer, type WireFormat, type WireScript, type WireServer } from "./wire/index.ts";

export const KEY = "key-0123456789";

export interface Line {
  readonly provider: string;
  readonly format: WireFormat;
  readonly model: string;
  readonly env: (url: string) => Record<string, string>;
  readonly settings?: (url: string) => ModelSettingsInput;
}

export const LINES: readonly Line[] = [
  {
    provider: "anthropic",
    format: "anthropic",
    model: "anthropic/claude-sonnet-5",
    env: (url) => ({ ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: url }),
  },
  {
    provider: "openai",
    format: "responses",
    model: "openai/gpt-6-sol",
    env: (url) => ({ OPENAI_API_KEY: KEY, OPENAI_BASE_URL: url }),
  },
  {
    provider: "openai-chat",
    format: "chat",
    model: "openai-chat/gpt-4.1",
    env: (url) => ({ OPENAI_API_KEY: KEY, OPENAI_BASE_URL: url }),
  },
  {
    provider: "google",
    format: "google",
    model: "google/gemini-3.1-pro-preview",
    env: (url) => ({ GEMINI_API_KEY: KEY, GOOGLE_GEMINI_BASE_URL: url }),
  },
  {
    provider: "local",
    format: "chat",
    model: "local/llama",
    env: () => ({ LOCAL_KEY: KEY }),
    settings: (url) => ({ providers: { local: { base_url: url, key: "LOCAL_KEY" } } }),
  },
];

export interface OpenLine extends AsyncDisposable {
  readonly model: Model;
  readonly server: WireServer;
}

export async function openLine(
  line: Line,
  script: WireScript,
  options: Partial<ModelsOptions> = {},
): Promise<OpenLine> {
  const server = await startWireServer(line.format, script);
  const settings = { ...line.settings?.(server.url), ...options.settings };
  const models = openModels({ env: line.env(server.url), clock: fakeClock(), ...options, settings });
  return { model: await models.open(line.model), server, [Symbol.asyncDispose]: () => server.close() };
}

export const LOOK_TOOL: ModelTool = {
  name: "look",
  description: "Looks at a thing",
  inputSchema: {
    type: "object",
    properties: { at: { type: "string" } },
    required: ["at"],
    additionalProperties: false,
  },
};

export const ask = (text: string, rest: Partial<ModelRequest> = {}): ModelRequest => ({
  messages: [{ role: "user", text }],
  tools: [LOOK_TOOL],
  maxOutputTokens: 4000,
  ...rest,
});

export interface Turn {
  readonly parts: readonly ModelPart[];
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly Extract<ModelPart, { type: "call" }>["call"][];
  /** The last part, whatever it is. */
  readonly last: Extract<ModelPart, { type: "end" | "error" }>;
}

/** Reads a turn to its end and holds it to the port: exactly one end or error, and that last. */
export async function read(parts: AsyncIterable<ModelPart>): Promise<Turn> {
  const all: ModelPart[] = [];
  for await (const part of parts) all.push(part);
  const ends = all.filter((part) => part.type === "end" || part.type === "error");
  const last = all.at(-1);
  if (ends.length !== 1 || (last?.type !== "end" && last?.type !== "error")) {
    throw new Error(`a turn must end once, this one did so ${ends.length} times: ${JSON.stringify(all.slice(-3))}`);
  }
  const joined = (type: "text-delta" | "reasoning-delta") =>
    all.map((part) => (part.type === type ? part.text : "")).join("");
  return {
    parts: all,
    text: joined("text-delta"),
    reasoning: joined("reasoning-delta"),
    calls: all.flatMap((part) => (part.type === "call" ? [part.call] : [])),
    last,
  };
}

export const turn = (model: Model, request: ModelRequest): Promise<Turn> =>
  read(model.stream(request, new AbortController().signal));
