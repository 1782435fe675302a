import { isOfferedTo } from "../../domain/offered-tools.ts";
import type { Attempt, AttemptScope, Clock, Toolbox } from "../../ports/index.ts";
import { todoTool } from "../todo/todo-tool.ts";
import { editTool } from "./edit/edit-tool.ts";
import { globTool } from "./search/glob-tool.ts";
import { grepTool } from "./search/grep-tool.ts";
import { listTool } from "./list-tool.ts";
import { PathLocks } from "./path-locks.ts";
import { Places } from "./places.ts";
import { readTool } from "./read-tool.ts";
import { SeenFiles } from "./seen-files.ts";
import { writeTool } from "./write-tool.ts";

export interface FileToolParts {
  readonly clock: Clock;
  /** The program that searches; undefined where there is none: then we search ourselves. */
  readonly ripgrep: string | undefined;
}

/**
 * `Read`, `Write`, `Edit`, `Glob`, `Grep`, `List` and `TodoWrite`. Below the workspace and what is the attempt's own,
 * every file is opened step by step, without following links: what a path leads to is decided when it is opened,
 * not when the policy was asked.
 */
export const fileTools =
  ({ clock, ripgrep }: FileToolParts): Toolbox =>
  async (attempt: Attempt, { signal }: AttemptScope) => {
    const places = await Places.open(attempt);
    const finders = ["Glob", "List"].filter((name) => isOfferedTo(attempt.task.spec, { name, effect: "read" }));
    const own = { places, seen: new SeenFiles(), locks: new PathLocks(), finders };
    const parts = { ...own, signal, attempt, clock, ripgrep };
    const tools = [readTool, writeTool, editTool, globTool, grepTool, listTool].map((tool) => tool(parts));
    return {
      tools: [...tools, await todoTool(parts)],
      [Symbol.asyncDispose]: () => places[Symbol.asyncDispose](),
    };
  };
