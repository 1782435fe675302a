import { savedAfter, unheardWords } from "../operations/words.ts";
import type { TaskView } from "../schema/index.ts";
import type { Output } from "./output.ts";
import { safeLine } from "./render/safe-text.ts";

/** Messages that came too late. Whoever sent one was told that it was sent. */
export function tellUnheard(out: Output, task: TaskView): void {
  for (const words of unheardWords(task)) out.talk(out.colors.yellow(safeLine(words)));
}

/** What an answer alone does not say: that it was only saved, and that somebody was not heard. */
export function tellBeside(out: Output, task: TaskView): void {
  const { outcome } = task;
  if (outcome?.status === "completed" && outcome.recovered !== null)
    out.talk(out.colors.yellow(`completed (${savedAfter(outcome.recovered)})`));
  tellUnheard(out, task);
}
