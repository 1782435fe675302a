// The list of what is to be done, as a part of the plan file. Whatever else stands in the file is the agent's, and
// stays.
export const TODO_STATUS = ["pending", "in_progress", "completed"] as const;
export type TodoStatus = (typeof TODO_STATUS)[number];

export interface Todo {
  readonly content: string;
  readonly status: TodoStatus;
}

const BEGIN = "<!-- todo: begin -->";
const END = "<!-- todo: end -->";
const SIGN: Readonly<Record<TodoStatus, string>> = { pending: " ", in_progress: "~", completed: "x" };
const STATUS = new Map(TODO_STATUS.map((status) => [SIGN[status], status]));

/** Markdown; an item that is being worked on has a `~` in its box. */
export const checklist = (todos: readonly Todo[]): string =>
  todos.map(({ content, status }) => `- [${SIGN[status]}] ${oneLine(content)}`).join("\n");

/** One line, which cannot end the list. */
const oneLine = (content: string): string => content.replaceAll(/\s+/g, " ").replaceAll("<!--", "< !--").trim();

export function withChecklist(plan: string, todos: readonly Todo[]): string {
  const block = [BEGIN, ...(todos.length === 0 ? [] : [checklist(todos)]), END].join("\n");
  const found = blockIn(plan);
  if (found !== undefined) return plan.slice(0, found.from) + block + plan.slice(found.to);
  const before = plan.trim() === "" ? "# Plan" : plan.trimEnd();
  return `${before}\n\n${block}\n`;
}

export function todosIn(plan: string): Todo[] {
  const found = blockIn(plan);
  if (found === undefined) return [];
  return plan
    .slice(found.from, found.to)
    .split("\n")
    .flatMap((line) => {
      const [, sign = "", content = ""] = /^- \[(.)\] (.+?)\r?$/.exec(line) ?? [];
      const status = STATUS.get(sign);
      return status === undefined ? [] : [{ content, status }];
    });
}

/** The last that has an end: of one that has lost it, what follows is the agent's. */
function blockIn(plan: string): { from: number; to: number } | undefined {
  const last = plan.lastIndexOf(END);
  const from = last < 0 ? -1 : plan.lastIndexOf(BEGIN, last);
  const end = from < 0 ? -1 : plan.indexOf(END, from);
  return end < 0 ? undefined : { from, to: end + END.length };
}
