import type { TaskSpec } from "../schema/index.ts";
import { onLine } from "./on-line.ts";

const TITLE_MAX = 1000;

/** The plan of a task that nobody has written to: the title. */
export const newPlan = ({ definition, prompt }: Pick<TaskSpec, "definition" | "prompt">): string =>
  `# Plan for ${definition.name} - ${onLine(prompt.replace(/\s+/g, " ").trim(), TITLE_MAX)}\n`;
