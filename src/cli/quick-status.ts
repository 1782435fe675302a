// `cadre status` as it is asked most: answered before the commands, their schemas and the engine are loaded.
// It has no messages of its own. Whatever it does not know, or cannot do, is left to the command.
import { glance } from "../app/glance.ts";
import type { TaskStatus } from "../schema/index.ts";
import { EXIT, type Exit } from "./exit-codes.ts";
import { mayBeHeldBack } from "./held-back.ts";
import { openOutput, type Streams } from "./output.ts";
import { SYMBOL } from "./render/colors.ts";
import { markdownTable } from "./render/markdown.ts";
import { taskTable } from "./render/tasks.ts";

const PAGE = 50;
const PAGE_MAX = 1000;

interface Asked {
  readonly home: string | undefined;
  readonly isJson: boolean;
  readonly isMarkdown: boolean;
  readonly status: readonly TaskStatus[];
  readonly limit: number;
}

/** `undefined`: the command has to do it. */
export async function quickStatus(argv: readonly string[], streams: Streams): Promise<Exit | undefined> {
  const asked = readArguments(argv);
  if (asked === undefined) return undefined;
  const { home, isJson, isMarkdown, status, limit } = asked;
  const query = { limit, status: status.length === 0 ? undefined : status };
  const found = await glance(home, query, streams.env).catch(() => undefined);
  if (found === undefined || (!isJson && found.tasks.some(mayBeHeldBack))) return undefined;
  openOutput(streams, isJson).data(found.tasks, (tasks, colors) =>
    isMarkdown ? markdownTable(tasks, (word) => found.statusWord(word)) : taskTable(tasks, colors),
  );
  return EXIT.ok;
}

function readArguments(argv: readonly string[]): Asked | undefined {
  const values: Record<string, string[]> = { "--home": [], "--status": [], "--limit": [], "--format": [] };
  let [isStatus, isJson] = [false, false];
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] ?? "";
    const taken = values[word];
    if (taken !== undefined) taken.push(argv[++at] ?? "");
    else if (word === "--json") isJson = true;
    else if (word === "status" && !isStatus) isStatus = true;
    else return undefined;
  }
  const [home] = values["--home"] ?? [];
  const limit = Number(values["--limit"]?.at(-1) ?? PAGE);
  const format = values["--format"]?.at(-1) ?? "table";
  const status = values["--status"] ?? [];
  const isClear =
    isStatus &&
    (values["--home"]?.length ?? 0) < 2 &&
    home !== "" &&
    Number.isInteger(limit) &&
    limit >= 1 &&
    limit <= PAGE_MAX &&
    (format === "table" || format === "markdown") &&
    status.every(isTaskStatus);
  return isClear
    ? { home, isJson, isMarkdown: format === "markdown", limit, status: status.filter(isTaskStatus) }
    : undefined;
}

const isTaskStatus = (word: string): word is TaskStatus => Object.hasOwn(SYMBOL, word);
