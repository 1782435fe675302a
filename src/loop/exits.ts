// What an agent ends by. `complete_task` carries its answer; the others hand the task to somebody.
import type { AttemptScope, Tool, ToolResult } from "../ports/index.ts";
import type { AgentDefinition, CallId, Exit, Json, JsonObject } from "../schema/index.ts";
import type { Turn } from "./conversation.ts";

/** These ask, and go on with the reply. */
const ASKING: ReadonlySet<Exit> = new Set<Exit>(["message_user", "ask_for_help"]);
/** By this result, which no person gives as a reply, a log says that nobody was there. */
const DELIVERED = "Delivered. Nobody was there to reply: your task ends with this message.";

/** Agents with a declared output or exits, and those that were written for Gemini CLI, must say that they are done. */
export function exitsOf({ completion, output, source }: AgentDefinition): readonly Exit[] {
  if (completion.exits !== undefined) return completion.exits;
  return output !== undefined || source?.from === "gemini" ? ["complete_task"] : [];
}

const DEFAULT_OUTPUT = "result";

/** The one argument of `complete_task`. */
const outputName = ({ output }: AgentDefinition): string => output?.name ?? DEFAULT_OUTPUT;

export interface Finished {
  readonly answer: string;
  readonly output: Json | undefined;
  /** By which it ended; without any, its last words are its answer. */
  readonly exit: Exit | undefined;
}

export interface ExitParts {
  readonly scope: AttemptScope;
  readonly problemsOf: (schema: JsonObject, value: Json) => Promise<string | undefined>;
  /** Told which call was an exit as it should be. Where there are turns, `endingOf` says which one counts. */
  readonly finish?: ((finished: Finished, call: CallId) => void) | undefined;
}

export const exitTools = (definition: AgentDefinition, exits: readonly Exit[], parts: ExitParts): Tool[] =>
  exits.map((exit) => {
    const run = (input: Json, call: CallId): Promise<ToolResult> => leave(exit, definition, input, call, parts);
    return {
      name: exit,
      description: DESCRIPTIONS[exit],
      effect: "none",
      inputSchema: schemaOf(exit, definition),
      plan: () => ({ ok: true, use: { effect: "none" } }),
      run,
      // Nothing is done by it but to end, or to ask: that can be done again.
      reattach: run,
    };
  });

async function leave(
  exit: Exit,
  definition: AgentDefinition,
  input: Json,
  call: CallId,
  parts: ExitParts,
): Promise<ToolResult> {
  const read = await readExit(exit, definition, input, parts.problemsOf);
  if (!read.ok) return { ok: false, text: read.problem };
  const { answer, output } = read;
  if (!ASKING.has(exit)) {
    parts.finish?.({ answer, output, exit }, call);
    return { ok: true, text: "Done." };
  }
  const title = exit === "message_user" ? `${definition.name} says` : `${definition.name} asks for help`;
  const reply = await parts.scope.ask({ kind: "question", title, body: answer }, "result");
  if (reply.verdict === "text") return { ok: true, text: reply.text };
  if (reply.verdict === "allow") return { ok: true, text: "Go on." };
  if (exit === "ask_for_help") {
    return {
      ok: false,
      text: `No help: ${reply.note ?? "it was denied"}. Go on alone, or end your task and say what is missing.`,
    };
  }
  parts.finish?.({ answer, output, exit }, call); // the user has it in the inbox, with nobody there to reply
  return { ok: true, text: DELIVERED };
}

/**
 * What the agent has ended by in a turn whose calls all have their results: the first exit in the reply, whichever was
 * done first. Only by what is in the log, so it is the same for a worker that goes on after another one died.
 */
export async function endingOf(
  { calls, results }: Pick<Turn, "calls" | "results">,
  definition: AgentDefinition,
  problemsOf: ExitParts["problemsOf"],
  isLast: boolean,
): Promise<Finished | null> {
  for (const { id, tool, input } of calls) {
    const exit = exitsOf(definition).find((one) => one === tool);
    const result = results.get(id);
    if (exit === undefined || result === undefined || result.isError) continue;
    // Where no turn is left, a message is the end, whatever was replied.
    const isEnd = exit === "message_user" && isLast;
    if (ASKING.has(exit) && result.text !== DELIVERED && !isEnd) continue;
    const read = await readExit(exit, definition, input, problemsOf);
    if (read.ok) return { answer: read.answer, output: read.output, exit };
  }
  return null;
}

const DESCRIPTIONS: Readonly<Record<Exit, string>> = {
  complete_task:
    "Ends your task with your final answer. Call it once, when you are done, and nothing else in that turn.",
  message_user: "Hands your task back to the user with a message, and waits for the reply.",
  ask_for_help: "Says that you are stuck and what you need, and waits for somebody to help.",
  submit_for_review: "Ends your task by submitting your work for review. It may come back with what is to be changed.",
};

const text = (name: string, description: string): JsonObject => ({
  type: "object",
  properties: { [name]: { type: "string", minLength: 1, description } },
  required: [name],
  additionalProperties: false,
});

function schemaOf(exit: Exit, definition: AgentDefinition): JsonObject {
  switch (exit) {
    case "complete_task":
      return definition.output === undefined
        ? text(outputName(definition), "Your findings or result, whole: nothing else of your work is passed on.")
        : {
            type: "object",
            properties: { [outputName(definition)]: definition.output.schema },
            required: [outputName(definition)],
          };
    case "message_user":
      return text("message", "What the user has to know.");
    case "ask_for_help":
      return text("question", "What you need, and what you have tried.");
    case "submit_for_review":
      return text("summary", "What you did, and what the reviewer should look at.");
  }
}

type Ending = ({ readonly ok: true } & Omit<Finished, "exit">) | { readonly ok: false; readonly problem: string };

/** The arguments of an exit, checked: the answer, or what the model has to be told. */
async function readExit(
  exit: Exit,
  definition: AgentDefinition,
  input: Json,
  problemsOf: ExitParts["problemsOf"],
): Promise<Ending> {
  const [name] = Object.keys(propertiesOf(schemaOf(exit, definition)));
  const given = isObject(input) && name !== undefined && Object.hasOwn(input, name) ? input[name] : undefined;
  if (name === undefined || given === undefined) return missing(exit, name ?? DEFAULT_OUTPUT);
  if (exit !== "complete_task" || definition.output === undefined) {
    if (typeof given !== "string") return { ok: false, problem: `"${name}" must be text` };
    return given.trim() === "" ? missing(exit, name) : { ok: true, answer: given, output: undefined };
  }
  const problems = await problemsOf(definition.output.schema, given);
  if (problems !== undefined) return { ok: false, problem: `Output validation failed: ${problems}` };
  return { ok: true, answer: typeof given === "string" ? given : JSON.stringify(given, null, 2), output: given };
}

const missing = (exit: Exit, name: string): Ending => ({
  ok: false,
  problem: `Missing required "${name}" argument. You must provide it when calling ${exit}.`,
});

const isObject = (value: Json): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const propertiesOf = ({ properties }: JsonObject): JsonObject =>
  properties !== undefined && isObject(properties) ? properties : {};
