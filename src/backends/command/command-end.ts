import { oneLine } from "../../domain/summaries.ts";
import type { BackendEnd, Exited } from "../../ports/index.ts";
import { type FailReason, Json } from "../../schema/index.ts";
import type { Head, Tail } from "./captured-output.ts";

const LINE_MAX = 500;

export interface Captured {
  readonly exited: Exited;
  readonly stdout: Head;
  readonly stderr: Tail;
}

/** A program is no agent: that it ended well is its answer, also without a word. */
export function endOf({ exited, stdout, stderr }: Captured, wantsJson: boolean): BackendEnd {
  const last = stderr.lastLine;
  const because = last === undefined ? "" : `: ${oneLine(last, LINE_MAX)}`;
  switch (exited.kind) {
    case "unstarted":
      return fail("backend_unavailable", exited.message);
    case "killed":
      return fail("crashed", `killed by ${exited.signal}${because}`);
    case "exited":
      if (exited.code !== 0) return fail("backend_error", `exited with ${exited.code}${because}`);
      // Where not all of it was kept, there is more of it than the engine lets through: it cuts, and says so.
      return wantsJson ? jsonEnd(stdout) : { kind: "answered", answer: stdout.text, mayBeSilent: true };
  }
}

function jsonEnd(stdout: Head): BackendEnd {
  if (!stdout.isWhole) return invalid(`it has ${stdout.total} bytes, which is more than max_output_kb allows`);
  const { text } = stdout;
  if (text.trim() === "") return invalid("it is empty");
  try {
    return { kind: "answered", answer: text, output: Json.parse(JSON.parse(text)), mayBeSilent: true };
  } catch (error) {
    const why = error instanceof SyntaxError ? error.message : "it is nested too deeply";
    return invalid(oneLine(`${why} (talk belongs on standard error)`, LINE_MAX));
  }
}

const invalid = (what: string): BackendEnd =>
  fail("invalid_output", `standard output must be one JSON value that fits the agent's output schema; ${what}`);

export const fail = (reason: FailReason, message: string): BackendEnd => ({ kind: "failed", reason, message });
