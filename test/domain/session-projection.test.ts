import { describe, expect, it } from "vitest";
import { applySessionEvent } from "../../src/domain/session-projection.ts";
import { type SessionEvent, SessionView } from "../../src/schema/index.ts";
import { CHILD, CHILD_SESSION, SESSION, sessionEvents, TASK } from "./samples.ts";

const { "session.opened": opened, "session.continued": continued } = sessionEvents;
const { "message.kept": kept, "breadcrumb.left": left } = sessionEvents;

const open: SessionView = {
  id: SESSION,
  agent: "Explore",
  parent: null,
  children: [],
  tasks: [TASK],
  messages: [],
  breadcrumbs: [],
  openedAt: 1,
  updatedAt: 1,
};

describe("a session", () => {
  it("opens with the task that it was opened for", () => {
    expect(applySessionEvent(undefined, opened, 1)).toEqual(open);
  });

  it("knows the session above it", () => {
    expect(applySessionEvent(undefined, { ...opened, parent: CHILD_SESSION }, 1).parent).toBe(CHILD_SESSION);
  });

  const crumb = left.breadcrumb;
  const steps: readonly (readonly [string, SessionEvent, Partial<SessionView>])[] = [
    ["is continued by another task", continued, { tasks: [TASK, continued.task] }],
    ["keeps a message", kept, { messages: [kept.message] }],
    ["keeps a child's breadcrumb and names its session", left, { breadcrumbs: [crumb], children: [CHILD_SESSION] }],
  ];

  it.each(steps)("%s and changes nothing else", (_, event, changes) => {
    expect(applySessionEvent(open, event, 5)).toEqual({ ...open, ...changes, updatedAt: 5 });
  });

  it("keeps messages and breadcrumbs in the order in which they came", () => {
    const reply = { ...kept.message, role: "assistant", content: "Three." } as const;
    const again = { ...crumb, task: TASK, summary: "43" };
    const events: SessionEvent[] = [opened, kept, left, { ...kept, message: reply }, { ...left, breadcrumb: again }];
    const view = events.reduce<SessionView | undefined>(
      (before, event, at) => applySessionEvent(before, event, at),
      undefined,
    );
    expect(view?.messages).toEqual([kept.message, reply]);
    expect(view?.breadcrumbs.map(({ task, summary }) => [task, summary])).toEqual([
      [CHILD, "42"],
      [TASK, "43"],
    ]);
    expect(view?.children, "one session, named once").toEqual([CHILD_SESSION]);
    expect(view).toMatchObject({ openedAt: 0, updatedAt: 4 });
    expect(SessionView.parse(view)).toEqual(view);
  });

  it.each([continued, kept, left])("that was never opened makes $type a damaged log", (event) => {
    expect(() => applySessionEvent(undefined, event, 1)).toThrow(expect.objectContaining({ code: "log.corrupt" }));
  });

  it("that is opened twice is a damaged log", () => {
    expect(() => applySessionEvent(open, opened, 2)).toThrow(expect.objectContaining({ code: "log.corrupt" }));
  });
});
