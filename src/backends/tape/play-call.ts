// The tool calls of a tape. Their effects are real, and every one is put to the policy first.
import { CadreError } from "../../errors/index.ts";
import type { Attempt, AttemptScope, ToolCall } from "../../ports/index.ts";
import type { TapeCall } from "../../schema/index.ts";

/** What happened is not what the tape was written for. */
export class TapeMismatch extends Error {}

export async function playCall(call: TapeCall, attempt: Attempt, scope: AttemptScope): Promise<void> {
  if ("ask" in call) {
    await scope.ask({ kind: "question", title: call.ask, body: call.ask });
    return;
  }
  if ("delegate" in call) return delegate(call, scope);
  if ("call" in call) throw new TapeMismatch(`the tape backend has no tool "${call.call}": the native loop has`);
  const text = await useTool(call, attempt, scope);
  if ("read" in call && call.expect !== undefined && text?.includes(call.expect) !== true) {
    throw new TapeMismatch(`the tape expects ${call.read} to hold "${call.expect}"`);
  }
}

async function delegate(
  { delegate: agent, prompt, inputs, background }: Extract<TapeCall, { delegate: string }>,
  scope: AttemptScope,
) {
  const permission = await scope.permit({ tool: "Task", effect: "delegate", agent, input: { agent, prompt } });
  if (permission.kind === "refused") return;
  const delegated = await scope.delegate({ agent, prompt, inputs, background });
  const output = async (): Promise<{ ok: boolean; output: string }> => {
    if (delegated.kind === "refused") return { ok: false, output: delegated.message };
    if (background === true) return { ok: true, output: `started ${delegated.child}` };
    const { status, outcome } = await scope.outcomeOf(delegated.child);
    return { ok: status === "completed", output: outcome?.status === "completed" ? outcome.answer : status };
  };
  await scope.append({ type: "tool.returned", call: permission.call, truncated: false, ...(await output()) });
}

/** Returns what was read. A refused call and a failed one are told to the agent, which goes on. */
async function useTool(
  call: Extract<TapeCall, { read: string } | { write: string }>,
  { workspace }: Attempt,
  scope: AttemptScope,
): Promise<string | undefined> {
  const use: ToolCall =
    "read" in call
      ? { tool: "Read", effect: "read", path: call.read, input: { path: call.read } }
      : { tool: "Write", effect: "write", path: call.write, input: { path: call.write, content: call.content } };
  const permission = await scope.permit(use);
  if (permission.kind === "refused") return undefined;
  const report = (ok: boolean, output: string) =>
    scope.append({ type: "tool.returned", call: permission.call, ok, output, truncated: false });
  try {
    if ("write" in call) {
      await workspace.files.write(call.write, call.content);
      await report(true, `wrote ${call.content.length} characters`);
      return undefined;
    }
    const text = await workspace.files.read(call.read);
    await report(true, `read ${text.length} characters`);
    return text;
  } catch (error) {
    if (!CadreError.isInstance(error) || error.code === "attempt.stale") throw error;
    await report(false, error.message);
    return undefined;
  }
}
