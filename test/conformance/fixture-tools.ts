// The tools that the suite wants a server to have, for what every server can do: content, progress, forms.
import {
  type CallToolResult,
  type ElicitRequestFormParams,
  inputRequired,
  type InputRequests,
  inputResponse,
  MissingRequiredClientCapabilityError,
  type RequestStateCodec,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { setTimeout as pause } from "node:timers/promises";
import * as z from "zod";
import { type Answered, type HostCall, hostTool, type HostTool } from "../../src/mcp/host-tool.ts";

export const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
const WAV = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=";

const text = (value: string): CallToolResult => ({ content: [{ type: "text", text: value }] });
const result = (value: CallToolResult): Answered => ({ result: value });

type Run = (call: HostCall, given: Readonly<Record<string, unknown>>) => Promise<Answered> | Answered;

export const fixtureTool = (name: string, run: Run, input: z.ZodType = z.looseObject({})): HostTool =>
  hostTool({
    name,
    description: `For the suite: ${name}`,
    operations: [],
    effect: "reads",
    input,
    run: async (given, call) => run(call, given as Record<string, unknown>),
  });

const fixed = (name: string, value: CallToolResult): HostTool => fixtureTool(name, () => result(value));

const CONTENT: readonly HostTool[] = [
  fixed("test_simple_text", text("This is a simple text response for testing.")),
  fixed("test_image_content", { content: [{ type: "image", data: PNG, mimeType: "image/png" }] }),
  fixed("test_audio_content", { content: [{ type: "audio", data: WAV, mimeType: "audio/wav" }] }),
  fixed("test_embedded_resource", {
    content: [
      {
        type: "resource",
        resource: {
          uri: "test://embedded-resource",
          mimeType: "text/plain",
          text: "This is an embedded resource content.",
        },
      },
    ],
  }),
  fixed("test_multiple_content_types", {
    content: [
      { type: "text", text: "Multiple content types test:" },
      { type: "image", data: PNG, mimeType: "image/png" },
      {
        type: "resource",
        resource: {
          uri: "test://mixed-content-resource",
          mimeType: "application/json",
          text: JSON.stringify({ test: "data", value: 123 }),
        },
      },
    ],
  }),
  fixed("test_error_handling", { ...text("This tool intentionally returns an error for testing"), isError: true }),
];

const TALKING: readonly HostTool[] = [
  fixtureTool("test_tool_with_logging", async ({ context }) => {
    for (const line of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
      await context.mcpReq.log("info", line);
      await pause(50);
    }
    return result(text("Tool with logging executed successfully"));
  }),
  fixtureTool("test_tool_with_progress", async ({ context: { mcpReq } }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      const params = { progressToken: progressToken ?? "", progress, total: 100 };
      if (progressToken !== undefined) await mcpReq.notify({ method: "notifications/progress", params });
      await pause(50);
    }
    return result(text("Tool with progress executed"));
  }),
  fixtureTool("test_logging_tool", async ({ context }) => {
    await context.mcpReq.log("info", "nobody has asked for this");
    return result(text("logged"));
  }),
  fixtureTool("test_streaming_elicitation", async ({ context, tell }) => {
    tell?.("about to ask");
    if (isGiven(context.mcpReq.inputResponses ?? {}, "user_name")) return result(text("asked"));
    return { result: inputRequired({ inputRequests: { user_name: nameForm() } }) };
  }),
  fixtureTool("test_reconnection", async ({ context }) => {
    context.http?.closeSSE?.();
    await pause(100);
    return result(text("Reconnection test completed successfully."));
  }),
  fixtureTool("test_sampling", async ({ context }, { prompt }) => {
    const said = await context.mcpReq.requestSampling(
      { messages: [{ role: "user", content: { type: "text", text: String(prompt) } }], maxTokens: 100 },
      { relatedRequestId: context.mcpReq.id },
    );
    return result(text(`LLM response: ${JSON.stringify(said.content)}`));
  }),
  fixtureTool("test_missing_capability", ({ context }) => {
    const { sampling } = capabilitiesOf(context);
    if (sampling === undefined)
      throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } });
    return result(text("it is there"));
  }),
];

type Properties = ElicitRequestFormParams["requestedSchema"]["properties"];
const form = (message: string, properties: Properties, required: string[] = []) => ({
  mode: "form" as const,
  message,
  requestedSchema: { type: "object" as const, properties, required },
});

const asking = (name: string, message: (given: Readonly<Record<string, unknown>>) => string, properties: Properties) =>
  fixtureTool(name, async ({ context }, given) => {
    const { action, content } = await context.mcpReq.elicitInput(form(message(given), properties), {
      relatedRequestId: context.mcpReq.id,
    });
    return result(text(`Elicitation completed: action=${action}, content=${JSON.stringify(content ?? {})}`));
  });

const CHOICES = ["option1", "option2", "option3"];
const TITLED = ["value1", "value2", "value3"].map((value, index) => ({ const: value, title: `Option ${index + 1}` }));

const FORMS: readonly HostTool[] = [
  asking("test_elicitation", ({ message }) => String(message), {
    username: { type: "string", description: "User's response" },
    email: { type: "string", description: "User's email address" },
  }),
  asking("test_elicitation_sep1034_defaults", () => "Please review the defaults", {
    name: { type: "string", default: "John Doe" },
    age: { type: "integer", default: 30 },
    score: { type: "number", default: 95.5 },
    status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
    verified: { type: "boolean", default: true },
  }),
  asking("test_elicitation_sep1330_enums", () => "Please choose", {
    untitledSingle: { type: "string", enum: CHOICES },
    titledSingle: { type: "string", oneOf: TITLED },
    legacyEnum: {
      type: "string",
      enum: ["opt1", "opt2", "opt3"],
      enumNames: ["Option One", "Option Two", "Option Three"],
    },
    untitledMulti: { type: "array", items: { type: "string", enum: CHOICES } },
    titledMulti: { type: "array", items: { anyOf: TITLED } },
  }),
];

const capabilitiesOf = ({ mcpReq }: ServerContext): Readonly<Record<string, unknown>> =>
  z.looseObject({ "io.modelcontextprotocol/clientCapabilities": z.looseObject({}) }).safeParse(mcpReq.envelope ?? {})
    .data?.["io.modelcontextprotocol/clientCapabilities"] ?? {};

export const nameForm = (message = "What is your name?") =>
  inputRequired.elicit(form(message, { name: { type: "string" } }, ["name"]));
const sampling = (prompt: string, maxTokens: number) =>
  inputRequired.createMessage({ messages: [{ role: "user", content: { type: "text", text: prompt } }], maxTokens });

/** Asks until all of it is there, then answers. */
const gathering = (
  name: string,
  requests: () => InputRequests,
  done: (responses: Readonly<Record<string, unknown>>) => string,
  states?: RequestStateCodec,
) =>
  fixtureTool(name, async ({ context }) => {
    const given = context.mcpReq.inputResponses ?? {};
    const wanted = requests();
    const isThere = Object.keys(wanted).every((key) => isGiven(given, key));
    if (isThere && (states === undefined || context.mcpReq.requestState() !== undefined))
      return result(text(done(given)));
    const requestState = await states?.mint({ tool: name }, context);
    return {
      result: inputRequired({ inputRequests: wanted, ...(requestState === undefined ? {} : { requestState }) }),
    };
  });

function isGiven(given: Readonly<Record<string, unknown>>, key: string): boolean {
  const view = inputResponse(given, key);
  if (view.kind !== "elicit") return view.kind !== "missing";
  return view.action !== "accept" || (view.content !== undefined && Object.keys(view.content).length > 0);
}

const nameIn = (given: Readonly<Record<string, unknown>>, key: string): string => {
  const view = inputResponse(given, key);
  return view.kind === "elicit" ? String(view.content?.["name"]) : "nobody";
};

const rounds = (states: RequestStateCodec) => [
  gathering(
    "test_input_required_result_elicitation",
    () => ({ user_name: nameForm() }),
    (given) => `Hello, ${nameIn(given, "user_name")}!`,
  ),
  gathering(
    "test_input_required_result_sampling",
    () => ({ capital_question: sampling("What is the capital of France?", 100) }),
    (given) => JSON.stringify(given["capital_question"]),
  ),
  gathering(
    "test_input_required_result_list_roots",
    () => ({ client_roots: inputRequired.listRoots() }),
    (given) => JSON.stringify(given["client_roots"]),
  ),
  gathering(
    "test_input_required_result_request_state",
    () => ({ confirm: inputRequired.elicit(form("Please confirm", { ok: { type: "boolean" } }, ["ok"])) }),
    () => "state-ok",
    states,
  ),
  gathering(
    "test_input_required_result_tampered_state",
    () => ({ confirm: inputRequired.elicit(form("Please confirm", { ok: { type: "boolean" } }, ["ok"])) }),
    () => "state-ok",
    states,
  ),
  gathering(
    "test_input_required_result_multiple_inputs",
    () => ({
      user_name: nameForm(),
      greeting: sampling("Generate a greeting", 50),
      client_roots: inputRequired.listRoots(),
    }),
    (given) => JSON.stringify(given),
    states,
  ),
  fixtureTool("test_input_required_result_capabilities", ({ context }) => {
    const { elicitation, sampling: samples, roots } = capabilitiesOf(context);
    const inputRequests: InputRequests = {
      ...(elicitation === undefined ? {} : { user_name: nameForm() }),
      ...(samples === undefined ? {} : { greeting: sampling("Generate a greeting", 50) }),
      ...(roots === undefined ? {} : { client_roots: inputRequired.listRoots() }),
    };
    return Object.keys(inputRequests).length === 0
      ? result(text("nothing can be asked"))
      : { result: inputRequired({ inputRequests }) };
  }),
  fixtureTool("test_input_required_result_multi_round", async ({ context }) => {
    const round = z.looseObject({ round: z.int() }).safeParse(context.mcpReq.requestState()).data?.round ?? 0;
    const given = context.mcpReq.inputResponses ?? {};
    if (round === 2 && isGiven(given, "step2")) return result(text(JSON.stringify(given)));
    const next = round >= 1 && isGiven(given, "step1") ? 2 : 1;
    const color = form("Step 2: What is your favorite color?", { color: { type: "string" } }, ["color"]);
    const inputRequests: InputRequests =
      next === 2 ? { step2: inputRequired.elicit(color) } : { step1: nameForm("Step 1: What is your name?") };
    return { result: inputRequired({ inputRequests, requestState: await states.mint({ round: next }, context) }) };
  }),
];

/** Kept as it is written: what the suite looks for are the words of the schema language. */
const SCHEMA = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  $defs: {
    address: {
      $anchor: "addressDef",
      type: "object",
      properties: { street: { type: "string" }, city: { type: "string" } },
    },
  },
  properties: {
    name: { type: "string" },
    address: { $ref: "#/$defs/address" },
    contactMethod: { type: "string", enum: ["phone", "email"] },
    phone: { type: "string" },
    email: { type: "string" },
  },
  allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
  if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
  // oxlint-disable-next-line unicorn/no-thenable -- a word of the schema language
  then: { required: ["phone"] },
  else: { required: ["email"] },
  additionalProperties: false,
};

export const fixtureTools = (states: RequestStateCodec): readonly HostTool[] => [
  ...CONTENT,
  ...TALKING,
  ...FORMS,
  ...rounds(states),
  { ...fixed("json_schema_2020_12_tool", text("ok")), inputSchema: () => SCHEMA },
];
