// A model that plays a tape: its replies are scripted, and everything that they lead to is real. Strict: a result that
// is not as the tape says, a word that was not heard and a call after the end all fail.
import type { Model, ModelMessage, ModelPart, ModelRequest } from "../../ports/index.ts";
import { type AgentDefinition, Exit, NO_USAGE, type Tape } from "../../schema/index.ts";
import { type TapeReply, tapeReplies } from "./tape-replies.ts";

export function tapeModel({ output }: Pick<AgentDefinition, "output">, tape: Tape): Model {
  const replies = tapeReplies(tape);
  return {
    name: "tape/tape",
    contextTokens: 1_000_000,
    maxOutputTokens: 8_000,
    // Known to cost nothing: nobody is asked.
    priceOf: () => ({ microUsd: 0, tokens: 0 }),
    async *stream(request, signal): AsyncGenerator<ModelPart> {
      if (signal.aborted) return yield fault("aborted", "stopped");
      // There is nothing on it for such a question, and it is not its turn.
      if (request.isAside === true) return yield { type: "end", usage: NO_USAGE, stop: "end", notes: [] };
      // The place on the tape is how often it was heard: so an attempt that goes on after a crash finds it again.
      const index = request.repliesBefore ?? request.messages.filter(({ role }) => role === "assistant").length;
      const reply = replies[index];
      if (reply === undefined) return yield fault("other", "the tape has no reply left");
      const problem = mismatch(replies[index - 1], reply, request);
      if (problem !== undefined) return yield fault("other", problem);
      if (reply.fail !== undefined) return yield* failure(reply.fail);
      if (wouldEnd(reply, request)) return yield fault("other", "the tape ended without an answer");
      yield* play(reply, index, request, output?.name);
    },
  };
}

/** Words alone are the end of an agent without exits, and what is no `answer` on the tape is not meant as one. */
const wouldEnd = ({ text, calls, answer }: TapeReply, { tools }: ModelRequest): boolean =>
  text !== "" && calls.length === 0 && answer === undefined && !tools.some(({ name }) => isExit(name));

const isExit = (name: string): boolean => Exit.safeParse(name).success;

const fault = (kind: "other" | "aborted", message: string): ModelPart => ({
  type: "error",
  kind,
  message,
  usage: NO_USAGE,
});

function* failure({ fail, message }: NonNullable<TapeReply["fail"]>): Generator<ModelPart> {
  if (fail !== "refused") {
    return yield { type: "error", kind: fail === "rate_limited" ? "rate_limited" : "other", message, usage: NO_USAGE };
  }
  yield { type: "text-delta", text: message };
  yield { type: "end", usage: NO_USAGE, stop: "refused", notes: [] };
}

async function* play(
  { text, calls, answer }: TapeReply,
  index: number,
  { tools }: ModelRequest,
  outputName = "result",
): AsyncGenerator<ModelPart> {
  const mustCall = answer !== undefined && tools.some(({ name }) => name === "complete_task");
  const said =
    mustCall || answer === undefined ? text : [text, answer.answer].filter((part) => part !== "").join("\n\n");
  for (const word of said.match(/\S+\s*/g) ?? []) yield { type: "text-delta", text: word };
  for (const [number, { tool, input }] of calls.entries()) {
    yield { type: "call", call: { id: `tape-${index}-${number}`, tool, input } };
  }
  if (mustCall) {
    const input = { [outputName]: answer.output ?? answer.answer };
    yield { type: "call", call: { id: `tape-${index}-end`, tool: "complete_task", input } };
  }
  yield { type: "end", usage: NO_USAGE, stop: calls.length > 0 || mustCall ? "calls" : "end", notes: [] };
}

/** What is not as the tape was written for, in what came back since its last reply. */
function mismatch(before: TapeReply | undefined, reply: TapeReply, { messages }: ModelRequest): string | undefined {
  if (reply.problem !== undefined) return reply.problem;
  const since = messages.slice(messages.findLastIndex(({ role }) => role === "assistant") + 1);
  const results = since.filter(({ role }) => role === "tool");
  const wrong = before?.calls.findIndex(
    ({ expect }, at) => expect !== undefined && !textAt(results, at).includes(expect),
  );
  if (wrong !== undefined && wrong >= 0) {
    const { tool, expect } = before?.calls[wrong] ?? {};
    return `the tape expects ${tool} to return "${expect}", and it returned: ${textAt(results, wrong).slice(0, 300)}`;
  }
  const { hears } = reply;
  if (hears !== undefined && !since.some(({ text }) => text.includes(hears)))
    return `the tape expects to hear "${hears}"`;
  return undefined;
}

const textAt = (results: readonly ModelMessage[], index: number): string => results[index]?.text ?? "";
