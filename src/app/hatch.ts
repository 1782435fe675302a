// The worker's side of a hatch: what a `cadre` inside of a sandbox asks is answered as if it had been asked here.
import { rmSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { attemptUnproven, CadreError, ERROR_CODES, invalidInput } from "../errors/index.ts";
import { type Caller, isOperation, type OperationName } from "../operations/index.ts";
import { isHeld } from "../domain/transitions.ts";
import { answerLetters } from "../platform/letter-box.ts";
import { OwnedFolder } from "../platform/owned-folder.ts";
import type { HatchWish, Mint, OpenHatch, Store } from "../ports/index.ts";
import { TaskId } from "../schema/index.ts";
import { hatchFolder } from "./hatch-folder.ts";

const Asked = z.strictObject({ token: z.string(), operation: z.string(), input: z.unknown() });

export const Answered = z.union([
  z.strictObject({ value: z.unknown() }),
  z.strictObject({
    /** Without a code: a bug of ours. */
    error: z.strictObject({ code: z.enum(ERROR_CODES).optional(), message: z.string(), hint: z.string().optional() }),
  }),
]);
export type Answered = z.infer<typeof Answered>;

/** Those of tasks that nobody runs: a worker that was killed has left them. */
export async function removeHatches(store: Pick<Store, "task">, home: string): Promise<void> {
  const folder = new OwnedFolder(join(home, "hatches"));
  for await (const name of folder.names()) {
    const id = TaskId.safeParse(name);
    const task = id.success ? await store.task(id.data) : undefined;
    if (task === undefined || !isHeld(task.status)) await folder.remove(name);
  }
}

export type CallAs = (
  operation: OperationName,
  input: unknown,
  caller: Caller,
  signal: AbortSignal,
) => Promise<unknown>;

export const openHatches =
  (home: string, mint: Pick<Mint, "sha256">, callAs: CallAs): OpenHatch =>
  (wish) => {
    const closing = new AbortController();
    const path = hatchFolder(home, wish.task.id);
    // A worker that was killed has left its own: whoever found that one would wait in there for ever.
    rmSync(path, { recursive: true, force: true });
    let letters: AsyncDisposable | undefined;
    return {
      folder() {
        letters ??= answerLetters(path, (text) => answer(text, wish, mint, callAs, closing.signal));
        return path;
      },
      async close() {
        if (letters === undefined) return;
        closing.abort("the attempt is over");
        await letters[Symbol.asyncDispose]();
      },
    };
  };

async function answer(
  text: string,
  { task, token, scope }: HatchWish,
  mint: Pick<Mint, "sha256">,
  callAs: CallAs,
  closing: AbortSignal,
): Promise<string> {
  try {
    const asked = Asked.safeParse(parsed(text));
    if (!asked.success) throw invalidInput("what was asked through the hatch is no question");
    const { operation, input } = asked.data;
    if (mint.sha256(asked.data.token) !== mint.sha256(token)) throw attemptUnproven();
    if (!isOperation(operation)) throw invalidInput(`there is no operation ${JSON.stringify(operation)}`);
    const caller: Caller = {
      mouth: "cli",
      by: task.id,
      authority: "agent",
      inside: task,
      askable: task.spec.askable,
    };
    const run = (signal: AbortSignal) => callAs(operation, input, caller, AbortSignal.any([signal, closing]));
    // A program that waits for a task leaves its place to that task.
    const attempt = operation === "task.wait" ? scope() : undefined;
    const value = attempt === undefined ? await run(closing) : await attempt.wait("child", run, "goes on");
    return say({ value: value ?? null });
  } catch (error) {
    return say({ error: told(error) });
  }
}

const say = (answered: Answered): string => JSON.stringify(answered);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function told(error: unknown): Extract<Answered, { error: unknown }>["error"] {
  if (CadreError.isInstance(error)) return { code: error.code, message: error.message, hint: error.hint };
  return { message: error instanceof Error ? error.message : String(error) };
}
