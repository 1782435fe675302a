// Searching with ripgrep: an own process of the attempt, with no environment, no configuration and no choice of its
// own. Only names of files and numbers of lines are taken from it.
import { addAbortListener } from "node:events";
import type { Kept } from "../../../ports/index.ts";
import {
  type Hit,
  type Hits,
  SEARCH_LIMIT_MS,
  type SearchEnd,
  type SearchParts,
  type SearchWish,
} from "./search-wish.ts";

const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;
const MAX_RECORD_BYTES = 16 * 1024;
const MAX_COMPLAINT_BYTES = 4 * 1024;

const ALWAYS = [
  "--no-config",
  "--no-follow",
  "--no-messages",
  "--no-pre",
  "--no-search-zip",
  "--no-mmap",
  "--engine=default",
  "--color=never",
  "--sort=path",
  // .gitignore counts, whether or not there is a repository; what others than the project say does not.
  "--no-require-git",
  "--no-ignore-dot",
  "--no-ignore-exclude",
  "--no-ignore-global",
  "--null",
];

const FILES = ["--files"];
const LINES = [
  "--line-number",
  "--with-filename",
  "--no-heading",
  "--crlf",
  "--max-filesize=10M",
  "--max-columns=1", // the text itself is not wanted
];

export async function* ripgrepSearch(parts: SearchParts, program: string, wish: SearchWish): Hits {
  const { attempt, clock, signal } = parts;
  const command = { file: program, args: argumentsOf(wish), cwd: wish.root.path, env: {} };
  const kept = attempt.keep.spawn(attempt.confinement.wrap(command));
  kept.endInput();
  const said = headOf(kept.stderr);
  const over = new AbortController();
  let why: string | undefined;
  const stop = (reason: string): void => {
    why ??= reason;
    kept.signal("SIGTERM");
  };
  using _stopped = addAbortListener(signal, () => stop("the attempt was stopped"));
  void clock.sleep(SEARCH_LIMIT_MS, over.signal).then(() => {
    if (!over.signal.aborted) stop("it took too long");
  });
  let found = 0;
  let bytes = 0;
  try {
    for await (const record of recordsOf(kept, wish.lines === undefined ? endOfName : endOfLine)) {
      bytes += record.length;
      const hit = hitOf(record, wish);
      if (hit !== undefined) yield hit;
      if (hit !== undefined) found++;
      if (bytes > MAX_OUTPUT_BYTES) stop("there is too much to be found");
      if (why !== undefined) return { kind: "cut", why };
    }
  } finally {
    over.abort();
    kept.signal("SIGTERM"); // whoever has enough leaves early
  }
  if (why !== undefined) return { kind: "cut", why };
  return endOf(await kept.exited, await said, found);
}

function argumentsOf({ starts, hidden, lines }: SearchWish): string[] {
  return [
    ...ALWAYS,
    ...(hidden ? ["--hidden", "--glob=!.git"] : []),
    ...(lines === undefined ? FILES : LINES),
    ...(lines?.ignoreCase === true ? ["--ignore-case"] : ["--case-sensitive"]),
    ...(lines === undefined ? [] : [`--regexp=${lines.pattern}`]),
    "--",
    ...starts.map((start) => `./${start}`),
  ];
}

/** Where in what was read the record ends that begins there; negative where it is not all there yet. */
type RecordEnd = (read: Buffer, from: number) => number;

const endOfName: RecordEnd = (read, from) => read.indexOf(0x00, from);

/** A name may hold line breaks: what ends the record comes behind it. */
const endOfLine: RecordEnd = (read, from) => {
  const name = endOfName(read, from);
  return name < 0 ? name : read.indexOf(0x0a, name);
};

async function* recordsOf({ stdout }: Kept, ends: RecordEnd): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of stdout) {
    rest = rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([rest, chunk]);
    let from = 0;
    for (let at = ends(rest, 0); at >= 0; at = ends(rest, from)) {
      yield rest.subarray(from, at);
      from = at + 1;
    }
    rest = rest.subarray(from);
    if (rest.length > MAX_RECORD_BYTES) rest = Buffer.alloc(0); // no name is that long
  }
}

/** What it says of binary files, on a line of its own before the next path, which begins as it was told. */
const REMARKS = /^(?:[^\0]*? byte around offset \d+\)\n)+(?=\.\/)/;

/** `path`, or `path NUL number : …`. */
function hitOf(record: Buffer, { lines }: SearchWish): Hit | undefined {
  const text = record.toString("utf8");
  const [name = "", place] = text.split("\0", 2);
  const path = (lines === undefined ? name : name.replace(REMARKS, "")).replace(/^(\.\/)+/, "");
  if (lines === undefined) return path === "" ? undefined : { path, line: 0 };
  const line = Number.parseInt(place ?? "", 10);
  return Number.isSafeInteger(line) && line > 0 ? { path, line } : undefined;
}

function endOf(exited: Awaited<Kept["exited"]>, said: string, found: number): SearchEnd {
  if (exited.kind === "exited" && exited.code <= 2 && said === "") return { kind: "all" };
  const complaint = /regex parse error:|error parsing|regex/i.test(said);
  if (exited.kind === "exited" && exited.code === 2 && complaint)
    return { kind: "refused", problem: said.replace(/^rg: /, "").trim() };
  return found === 0 ? { kind: "unusable" } : { kind: "cut", why: "the search broke off" };
}

async function headOf(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const kept: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stream) {
    if (length < MAX_COMPLAINT_BYTES) kept.push(chunk.subarray(0, MAX_COMPLAINT_BYTES - length));
    length += chunk.length;
  }
  return Buffer.concat(kept).toString("utf8");
}
