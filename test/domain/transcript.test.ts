import { describe, expect, test } from "vitest";
import { applySessionEvent } from "../../src/domain/session-projection.ts";
import { foldTask } from "../../src/domain/fold-task.ts";
import { type Transcript, transcriptText } from "../../src/domain/transcript.ts";
import type { TaskEvent } from "../../src/schema/index.ts";
import { ended, logOf, outcomes, sampleSpec, sessionEvents, TASK, taskEvents } from "./samples.ts";

const { "task.admitted": admitted, "attempt.started": started, "message.said": said } = taskEvents;
const session = [sessionEvents["session.opened"], sessionEvents["breadcrumb.left"]].reduce<
  Transcript["session"] | undefined
>((view, event) => applySessionEvent(view, event, 0), undefined);

function textOf(prompt: string, ...events: TaskEvent[]): string {
  if (session === undefined) throw new Error("there is no session");
  const log = logOf([{ ...admitted, spec: sampleSpec({ prompt }) }, started, ...events]);
  return transcriptText({ session, tasks: [{ task: foldTask(TASK, log), events: log }], isWhole: true });
}

describe("a transcript", () => {
  test("has what was asked, what was done, what came of it, and what children left", () => {
    const text = textOf("Find it.", said, taskEvents["tool.called"], ended("completed"));
    expect(text).toContain("# Session `sess_one`");
    expect(text).toContain("```text\nFind it.\n```");
    expect(text).toContain(`- said: ${said.text}`);
    expect(text).toContain(`- \`${taskEvents["tool.called"].tool}\` `);
    expect(text).toContain("Completed (");
    expect(text).toContain("- `oracle` `task_child` completed: 42");
  });

  test("is no document of whoever is quoted in it: fences, marks and lines stay theirs", () => {
    const evil = "````\n# Not a heading\n```";
    const answer = { ...outcomes.completed, answer: evil };
    const text = textOf(evil, { ...said, text: "x\n## Outcome\n<script>" }, { type: "task.ended", outcome: answer });
    const fence = "`````";
    expect(text.split(`${fence}text\n${evil}\n${fence}`)).toHaveLength(3);
    expect(text).toContain("- said: x \\#\\# Outcome \\<script\\>");
    expect(text.split("\n").filter((line) => line === "## Outcome")).toEqual([]);
  });

  test("says where something was left out", () => {
    if (session === undefined) throw new Error("there is no session");
    expect(transcriptText({ session, tasks: [], isWhole: false })).toContain("The rest is left out");
  });
});
