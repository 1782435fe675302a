import * as z from "zod";
import { CadreError, invalidInput } from "../../errors/index.ts";
import { openConfined, replaceConfined } from "../../platform/confined-files.ts";
import type { Attempt, Tool, ToolPlan, ToolResult } from "../../ports/index.ts";
import { defineTool, done } from "../define-tool.ts";
import type { FileParts } from "../files/file-parts.ts";
import type { Place } from "../files/places.ts";
import { checklist, TODO_STATUS, todosIn, withChecklist } from "./checklist.ts";

const MAX_TODOS = 100;
const MAX_CONTENT = 500;
const MAX_PLAN_BYTES = 1024 * 1024;

const Input = z.strictObject({
  todos: z
    .array(
      z.strictObject({
        content: z.string().min(1).max(MAX_CONTENT).describe("What is to be done."),
        status: z.enum(TODO_STATUS),
        activeForm: z
          .string()
          .min(1)
          .max(MAX_CONTENT)
          .optional()
          .describe('How it reads while it is done: "Running the tests".'),
      }),
    )
    .max(MAX_TODOS)
    .describe("The whole list: it replaces the one before."),
});
type Input = z.infer<typeof Input>;

const DESCRIPTION = `Keeps the list of what is to be done, in the order in which it is to be done. Use it for work of several steps: write \
the list first, set an item to in_progress when you begin it (one at a time) and to completed as soon as it is done.`;

/** The list lives in the plan file: an attempt that goes on with the work of an earlier one is shown it. */
export async function todoTool({
  places,
  locks,
  signal,
  attempt,
}: FileParts & { readonly attempt: Attempt }): Promise<Tool> {
  const found = places.locate("plan", attempt.own.plan);
  const earlier = found.ok ? todosIn(await planAt(found.place).catch(() => "")) : []; // a call says what is wrong
  const soFar = earlier.length === 0 ? "" : `\n\nThe list as it stands:\n${checklist(earlier)}`;
  return defineTool(
    {
      name: "TodoWrite",
      description: DESCRIPTION + soFar,
      effect: "none",
      input: Input,
      plan,
      run: async ({ todos }) => {
        if (!found.ok) return { ok: false, text: found.problem };
        const { place } = found;
        return await locks.run(place.shown, async () => {
          await replaceConfined(place.root, place.path, withChecklist(await planAt(place), todos));
          return kept(todos);
        });
      },
      reattach: async ({ todos }) => {
        const now = found.ok ? todosIn(await planAt(found.place)) : [];
        return checklist(now) === checklist(todos) ? kept(todos) : undefined;
      },
    },
    signal,
  );
}

function plan({ todos }: Input): ToolPlan {
  const active = todos.filter(({ status }) => status === "in_progress").map(({ content }) => JSON.stringify(content));
  if (active.length > 1)
    return { ok: false, problem: `\`todos\`: only one item may be in_progress at a time, not ${active.join(" and ")}` };
  const blank = todos.findIndex(({ content }) => content.trim() === "");
  if (blank >= 0) return { ok: false, problem: `\`todos[${blank}].content\` is empty: say what is to be done` };
  return { ok: true, use: { effect: "none", leavesTraces: true } }; // in the plan, which is there before that
}

function kept(todos: Input["todos"]): ToolResult {
  const left = todos.filter(({ status }) => status !== "completed").length;
  return done(`The list has ${todos.length} items, ${left} of them not completed.\n${checklist(todos)}`.trim());
}

/** Empty where there is none yet. */
async function planAt({ root, path, shown }: Place): Promise<string> {
  try {
    await using file = await openConfined(root, path);
    if (file.info.size > MAX_PLAN_BYTES) throw invalidInput(`${shown} is too large for a plan: shorten it with Write`);
    return await file.handle.readFile("utf8");
  } catch (error) {
    if (CadreError.isInstance(error) && error.facts["why"] === "ENOENT") return "";
    throw error;
  }
}
