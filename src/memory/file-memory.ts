// The memory of a project and that of its user, each in a file of its own.
import { invalidInput } from "../errors/index.ts";
import { sha256 } from "../platform/system-mint.ts";
import type {
  Clock,
  Memory,
  MemoryEntry,
  MemoryFilter,
  MemoryListFilter,
  MemoryScope,
  NewMemory,
} from "../ports/index.ts";
import { TaskId } from "../schema/index.ts";
import { MemoryFile, type Row, type Rows } from "./memory-file.ts";
import { relevantMemories } from "./relevant-memories.ts";
import { anyOf, indexed, searchTerms } from "./search-terms.ts";

export interface MemoryPlaces {
  /** Null where there is no project, only the user's own home. */
  readonly project: string | null;
  readonly user: string;
}

const MAX_CONTENT_BYTES = 32 * 1024;
const MAX_ENTRIES = 10_000;
const MAX_TOTAL_BYTES = 20 * 1024 * 1024;
const MOST_FOUND = 1000;
const SCOPES: readonly MemoryScope[] = ["project", "user"];
const CATEGORY = /^[a-z0-9][a-z0-9_-]{0,63}$/;

export interface MemoryLimits {
  readonly entries: number;
  readonly bytes: number;
}

export function fileMemory(
  places: MemoryPlaces,
  clock: Pick<Clock, "now">,
  limits: MemoryLimits = { entries: MAX_ENTRIES, bytes: MAX_TOTAL_BYTES },
): Memory {
  const files: Readonly<Record<MemoryScope, MemoryFile | null>> = {
    project: places.project === null ? null : new MemoryFile(places.project),
    user: new MemoryFile(places.user),
  };
  const each = async (scopes: readonly MemoryScope[], look: (rows: Rows) => Row[]): Promise<MemoryEntry[][]> =>
    Promise.all(
      [...new Set(scopes)].map(async (scope) =>
        ((await files[scope]?.read(look)) ?? []).map((row) => entryOf(row, scope)),
      ),
    );
  const isIn = async (scope: MemoryScope, id: string): Promise<boolean> =>
    (await files[scope]?.read((rows) => rows.all("SELECT 1 FROM entries WHERE id = ?", id).length > 0)) === true;
  const memory: Memory = {
    async add(entry) {
      const checked = check(entry);
      const file = files[checked.scope];
      if (file === null)
        throw invalidInput("there is no project here to remember it for", { hint: "Make one: cadre init" });
      return file.change((rows) => add(rows, checked, clock.now(), limits));
    },
    async search(query, filter) {
      const found = await each(filter.scopes, (rows) => find(rows, query, filter));
      return interleaved(found).slice(0, filter.limit);
    },
    async list(filter) {
      const found = await each(filter.scopes, (rows) => latest(rows, filter));
      return found
        .flat()
        .toSorted((a, b) => b.updatedAt - a.updatedAt || (a.id < b.id ? -1 : 1))
        .slice(0, filter.limit);
    },
    async ids({ scopes, only }) {
      const sql = `SELECT id FROM entries WHERE ${LISTED[only ?? "all"]}`;
      const rowsIn = async (scope: MemoryScope) => (await files[scope]?.read((rows) => rows.all(sql))) ?? [];
      return (await Promise.all(scopes.map(rowsIn))).flat().map((row) => String(row["id"]));
    },
    async accept(id, by) {
      for (const scope of SCOPES)
        if (await isIn(scope, id)) return (await files[scope]?.change((rows) => accept(rows, id, by, scope))) ?? null;
      return null;
    },
    async forget(id) {
      for (const scope of SCOPES)
        if (await isIn(scope, id)) return (await files[scope]?.change((rows) => forget(rows, id))) ?? false;
      return false;
    },
    relevant: (wish) => relevantMemories(memory, wish),
  };
  return memory;
}

function check(entry: NewMemory): NewMemory {
  const content = entry.content.replaceAll("\0", "").trim();
  const category = entry.category.trim().toLowerCase();
  const bytes = Buffer.byteLength(content);
  if (content === "") throw invalidInput("there is nothing to remember: the content is empty");
  if (bytes > MAX_CONTENT_BYTES)
    throw invalidInput(`the content has ${bytes} bytes; a memory has at most ${MAX_CONTENT_BYTES}`, {
      hint: "Keep what matters, in a few sentences.",
    });
  if (!CATEGORY.test(category))
    throw invalidInput(`${JSON.stringify(entry.category.slice(0, 80))} cannot be a category`, {
      hint: 'A category is one word of letters, digits, "-" and "_", such as decisions.',
    });
  // Half of a character would not come back as it was.
  return { ...entry, content: content.toWellFormed(), category };
}

const idOf = ({ scope, content }: NewMemory): string => `mem_${sha256(`${scope}\0${content}`).slice(0, 20)}`;

function add(rows: Rows, entry: NewMemory, now: number, limits: MemoryLimits): Awaited<ReturnType<Memory["add"]>> {
  const id = idOf(entry);
  const { scope, category, content, from } = entry;
  const [before] = rows.all("SELECT * FROM entries WHERE id = ?", id);
  if (before !== undefined) {
    const known = entryOf(before, scope);
    // An agent that repeats a person does not make it its own; a person who repeats an agent stands for it.
    const by = from.isPerson || !known.from.isPerson ? from : known.from;
    const acceptedBy = known.acceptedBy ?? acceptedAtOnce(from);
    // Under another category an agent would say another thing than what was agreed to.
    const about = from.isPerson || known.acceptedBy === null ? category : known.category;
    rows.run(
      "UPDATE entries SET category = ?, said_by = ?, is_person = ?, task = ?, updated_at = ?, accepted_by = ? WHERE id = ?",
      about,
      by.by,
      Number(by.isPerson),
      by.task,
      now,
      acceptedBy,
      id,
    );
    index(rows, id, `${about} ${content}`);
    return { entry: { ...known, category: about, from: by, updatedAt: now, acceptedBy }, isNew: false };
  }
  const bytes = Buffer.byteLength(content);
  const acceptedBy = acceptedAtOnce(from);
  checkRoom(rows, bytes, limits);
  rows.run(
    `INSERT INTO entries (id, category, content, bytes, said_by, is_person, task, at, updated_at, accepted_by)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    id,
    category,
    content,
    bytes,
    from.by,
    Number(from.isPerson),
    from.task,
    now,
    now,
    acceptedBy,
  );
  index(rows, id, `${category} ${content}`);
  return { entry: { id, scope, category, content, from, at: now, updatedAt: now, acceptedBy }, isNew: true };
}

/** A person's own word needs nobody's. */
const acceptedAtOnce = ({ by, isPerson }: NewMemory["from"]): string | null => (isPerson ? by : null);

function accept(rows: Rows, id: string, by: string, scope: MemoryScope): MemoryEntry | null {
  rows.run("UPDATE entries SET accepted_by = ? WHERE id = ? AND accepted_by IS NULL", by, id);
  const [entry] = rows.all("SELECT * FROM entries WHERE id = ?", id);
  return entry === undefined ? null : entryOf(entry, scope);
}

function index(rows: Rows, id: string, text: string): void {
  rows.run("DELETE FROM words WHERE rowid IN (SELECT number FROM entries WHERE id = ?)", id);
  rows.run("INSERT INTO words (rowid, text) SELECT number, ? FROM entries WHERE id = ?", indexed(text), id);
}

function checkRoom(rows: Rows, bytes: number, limits: MemoryLimits): void {
  const [used] = rows.all("SELECT COUNT(*) AS entries, COALESCE(SUM(bytes), 0) AS bytes FROM entries");
  if (Number(used?.["entries"]) < limits.entries && Number(used?.["bytes"]) + bytes <= limits.bytes) return;
  throw invalidInput(`the memory is full: it holds ${used?.["entries"]} entries with ${used?.["bytes"]} bytes`, {
    hint: "Forget what is of no use any more: cadre memory list, cadre memory forget <id>",
  });
}

function forget(rows: Rows, id: string): boolean {
  const [entry] = rows.all("SELECT number FROM entries WHERE id = ?", id);
  if (entry === undefined) return false;
  rows.run("DELETE FROM words WHERE rowid = ?", Number(entry["number"]));
  rows.run("DELETE FROM entries WHERE id = ?", id);
  rows.run("INSERT INTO words (words) VALUES ('optimize')"); // else its words stay in the file
  return true;
}

/** For "any, or this one" in SQL. */
const either = (category: string | undefined): [string | null, string | null] => [category ?? null, category ?? null];

const clamp = (limit: number): number => Math.max(0, Math.min(Math.trunc(limit), MOST_FOUND));

const LISTED = {
  accepted: "accepted_by IS NOT NULL",
  waiting: "accepted_by IS NULL",
  all: "TRUE",
} as const;

const latest = (rows: Rows, { category, limit, only }: MemoryListFilter): Row[] =>
  rows.all(
    `SELECT * FROM entries WHERE ${LISTED[only ?? "all"]} AND (? IS NULL OR category = ?) ORDER BY updated_at DESC, id LIMIT ?`,
    ...either(category),
    clamp(limit),
  );

/** Whole words first, then words that begin so; signs that are no words at all are looked for as they are. */
function find(rows: Rows, query: string, filter: MemoryFilter): Row[] {
  const terms = searchTerms(query);
  if (terms.length === 0) return containing(rows, query.trim(), filter);
  const whole = matching(rows, anyOf(terms), filter);
  if (whole.length >= clamp(filter.limit)) return whole;
  const known = new Set(whole.map((row) => row["id"]));
  const begun = matching(rows, anyOf(terms, true), filter).filter((row) => !known.has(row["id"] ?? null));
  return [...whole, ...begun].slice(0, clamp(filter.limit));
}

const matching = (rows: Rows, match: string, { category, limit }: MemoryFilter): Row[] =>
  rows.all(
    `SELECT entries.* FROM words JOIN entries ON entries.number = words.rowid
     WHERE words MATCH ? AND accepted_by IS NOT NULL AND (? IS NULL OR category = ?) ORDER BY bm25(words), updated_at DESC, id LIMIT ?`,
    match,
    ...either(category),
    clamp(limit),
  );

const containing = (rows: Rows, text: string, { category, limit }: MemoryFilter): Row[] =>
  text === ""
    ? []
    : rows.all(
        `SELECT * FROM entries WHERE instr(content, ?) > 0 AND accepted_by IS NOT NULL AND (? IS NULL OR category = ?)
         ORDER BY updated_at DESC, id LIMIT ?`,
        text,
        ...either(category),
        clamp(limit),
      );

function entryOf(row: Row, scope: MemoryScope): MemoryEntry {
  const task = TaskId.safeParse(row["task"]);
  return {
    id: String(row["id"]),
    scope,
    category: String(row["category"]),
    content: String(row["content"]),
    from: { by: String(row["said_by"]), isPerson: row["is_person"] === 1, task: task.success ? task.data : null },
    at: Number(row["at"]),
    updatedAt: Number(row["updated_at"]),
    acceptedBy: row["accepted_by"] === null ? null : String(row["accepted_by"]),
  };
}

/** The best of each by turns: ranks of two files cannot be compared. */
function interleaved(lists: readonly (readonly MemoryEntry[])[]): MemoryEntry[] {
  const longest = Math.max(0, ...lists.map((list) => list.length));
  return Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list[at] ?? [])).flat();
}
