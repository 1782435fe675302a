import { expect, test } from "vitest";
import { allows, kindOf, nextStatus, type TaskEventKind } from "../../src/domain/transitions.ts";
import { type TaskEvent, TaskStatus } from "../../src/schema/index.ts";
import { outcomes, taskEvents } from "../domain/samples.ts";
import { blocksOf, codeIn, tableOf, tablesOf } from "./documents.ts";

const path = "docs/design/life-of-a-task.md";
const statuses = ["none", ...TaskStatus.options] as const;
const [head = [], ...rows] = tablesOf(path).find(([first]) => first?.[0] === "") ?? [];
const kinds = head.slice(1) as TaskEventKind[];

/** Some event of each kind. */
const samples = new Map<string, TaskEvent>(
  [
    ...Object.values(taskEvents),
    ...Object.values(outcomes).map((outcome) => ({ type: "task.ended", outcome }) as const),
  ].map((event) => [kindOf(event), event]),
);

/** From the code: `failed` after `running`, or nothing where it cannot happen. */
function next(status: (typeof statuses)[number], kind: TaskEventKind): string {
  const event = samples.get(kind);
  if (event === undefined) throw new Error(`no sample of the kind ${kind}`);
  return allows(status, kind) ? nextStatus(status, event) : "-";
}

test("the table of transitions is that of the code", () => {
  expect(kinds.toSorted()).toEqual([...samples.keys()].toSorted());
  expect(rows.map(([status = ""]) => status).toSorted()).toEqual(statuses.toSorted());
  const decided = rows.map(([status]) => {
    const from = statuses.find((one) => one === status) ?? "none";
    return [from, ...kinds.map((kind) => next(from, kind))];
  });
  expect(rows).toEqual(decided);
});

test("the drawing shows every transition between two statuses, and no other", () => {
  const [drawing] = blocksOf(path).filter(({ language }) => language === "mermaid");
  const drawn = [...(drawing?.text ?? "").matchAll(/^ *(\S+) --> (\w+): (\w+)$/gm)].map(
    ([, from = "", to = "", kind = ""]) => `${from === "[*]" ? "none" : from} ${kind} ${to}`,
  );
  const decided = statuses.flatMap((from) =>
    kinds.flatMap((kind) =>
      next(from, kind) === "-" || next(from, kind) === from ? [] : [`${from} ${kind} ${next(from, kind)}`],
    ),
  );
  expect(drawn.toSorted()).toEqual(decided.toSorted());
});

test("every status is explained", () => {
  const explained = tableOf(path, "Status", "Meaning").flatMap(([status = ""]) => codeIn(status));
  expect(explained.toSorted()).toEqual(TaskStatus.options.toSorted());
});
