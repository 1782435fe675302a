// A tape as the replies of a model: what it says, and the calls that go with it.
import type { JsonObject, Tape, TapeCall, TapeStep } from "../../schema/index.ts";

export interface TapeReply {
  readonly text: string;
  readonly calls: readonly {
    readonly tool: string;
    readonly input: JsonObject;
    readonly expect?: string | undefined;
  }[];
  /** The end: with an output where the step has one. */
  readonly answer?: Extract<TapeStep, { answer: string }> | undefined;
  readonly fail?: Extract<TapeStep, { fail: string }> | undefined;
  /** What the agent must have been told before this reply. */
  readonly hears?: string | undefined;
  readonly problem?: string | undefined;
}

export function tapeReplies(tape: Tape): TapeReply[] {
  const replies: TapeReply[] = [];
  let said: string | null = null;
  let hears: string | undefined;
  const push = (reply: Omit<TapeReply, "text">) => {
    replies.push({ text: said ?? "", ...reply, ...(hears === undefined ? {} : { hears }) });
    said = null;
    hears = undefined;
  };
  for (const step of tape) {
    if ("say" in step) {
      if (said !== null) push({ calls: [] });
      said = step.say;
    } else if ("together" in step) push({ calls: step.together.map(callOf) });
    else if ("answer" in step) push({ calls: [], answer: step });
    else if ("fail" in step) push({ calls: [], fail: step });
    else if ("feedback" in step) hears = step.feedback;
    else if ("hear" in step) hears = step.hear;
    else if ("spend" in step || "pause_ms" in step || "hang" in step || "crash" in step) {
      push({ calls: [], problem: `"${Object.keys(step)[0]}" is a step for the tape backend, not for a model` });
    } else push({ calls: [callOf(step)] });
  }
  if (said !== null) push({ calls: [] });
  return replies;
}

function callOf(step: TapeCall): TapeReply["calls"][number] {
  if ("read" in step) return { tool: "Read", input: { file_path: step.read }, expect: step.expect };
  if ("write" in step) return { tool: "Write", input: { file_path: step.write, content: step.content } };
  if ("ask" in step) return { tool: "AskUser", input: { question: step.ask } };
  if ("call" in step) return { tool: step.call, input: step.input, expect: step.expect };
  const { delegate, prompt, inputs, background } = step;
  return {
    tool: "Task",
    input: {
      subagent_type: delegate,
      prompt,
      ...(inputs === undefined ? {} : { inputs }),
      ...(background === undefined ? {} : { run_in_background: background }),
    },
  };
}
