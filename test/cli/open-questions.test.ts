// Which questions the person at the terminal sees, event by event.
import { expect, test } from "vitest";
import { openQuestions } from "../../src/cli/live/open-questions.ts";
import type { Envelope, LogEvent } from "../../src/schema/index.ts";
import { controlEvents, ended, TASK, taskEvents } from "../domain/samples.ts";

const asked = taskEvents["approval.asked"];
const started = taskEvents["attempt.started"];
const interrupted = taskEvents["task.interrupted"];

/** The signals of all that was put, once these events have come. */
async function putBy(...events: readonly LogEvent[]): Promise<boolean[]> {
  const put: AbortSignal[] = [];
  const questions = openQuestions(async (_approval, signal) => {
    put.push(signal);
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
  }, new AbortController().signal);
  for (const event of events) {
    questions.take({ stream: `task:${TASK}`, event } as Envelope);
    await new Promise(setImmediate);
  }
  return put.map(({ aborted }) => !aborted);
}

test("a question is put, and taken back when its worker dies", async () => {
  expect(await putBy(started, asked)).toEqual([true]);
  expect(await putBy(started, asked, interrupted)).toEqual([false]);
});

test("one that was open when its worker died is put again by the next attempt", async () => {
  expect(await putBy(started, asked, interrupted, started)).toEqual([false, true]);
});

test.each([controlEvents["answer.given"], taskEvents["approval.answered"], taskEvents["approval.expired"]])(
  "one that is settled is not put again",
  async (settled) => {
    expect(await putBy(started, asked, interrupted, settled, started)).toEqual([false]);
  },
);

test("one of a task that has ended is taken back, and not put again", async () => {
  expect(await putBy(started, asked, ended("cancelled"), started)).toEqual([false]);
});

test("one that is still put is not put twice", async () => {
  expect(await putBy(started, asked, started)).toEqual([true]);
});
