import * as z from "zod";
import { invalidInput } from "../../errors/index.ts";
import type { OperationOutput } from "../../operations/index.ts";
import { type CommandContext, defineCommand } from "../command.ts";
import { EXIT, type Exit } from "../exit-codes.ts";
import { wholeNumber } from "../numbers.ts";
import { safeLine, safeText } from "../render/safe-text.ts";
import { resolveMemory } from "../resolve-memory.ts";

type Entry = OperationOutput<"memory.list">["entries"][number];

const Args = z.object({
  action: z.enum(["add", "search", "list", "accept", "forget"]),
  text: z.string().optional(),
  category: z.string().optional(),
  scope: z.enum(["project", "user"]).optional(),
  limit: wholeNumber(1, 500).optional(),
});
type Args = z.infer<typeof Args>;

export const command = defineCommand({
  usage: "memory <action> [text]",
  summary: "Add to what is remembered, search or list it, accept what an agent adds, or forget something",
  operations: ["memory.add", "memory.search", "memory.list", "memory.find", "memory.accept", "memory.forget"],
  options: {
    "--category <word>": "one word for what it is about",
    "--scope <scope>": "project, or user: your own, in every project",
    "--limit <n>": "how many at the most",
  },
  examples: [
    'cadre memory add "The parser is hand-written: do not generate it" --category decisions',
    "cadre memory search parser",
    "cadre memory list --scope user",
    "cadre memory accept mem_3f2a",
    "cadre memory forget mem_3f2a",
  ],
  args: Args,
  run: (context, args) => ACTIONS[args.action](context, args),
});

const ACTIONS: Readonly<Record<Args["action"], (context: CommandContext, args: Args) => Promise<Exit>>> = {
  async add({ open, out }, { text, category, scope }) {
    const content = need(text, "something to remember", 'cadre memory add "<text>"');
    await using cadre = await open();
    const added = await cadre.call("memory.add", { content, category, scope });
    out.data(added, ({ entry, isNew }) => `${entry.id}${isNew ? "" : " (it was there already)"}`);
    if (added.entry.acceptedBy === null)
      out.talk(`It waits for a person's word: cadre memory accept ${added.entry.id}`);
    return EXIT.ok;
  },
  async search({ open, out }, { text, category, scope, limit }) {
    const query = need(text, "words to look for", 'cadre memory search "<words>"');
    await using cadre = await open();
    const { entries } = await cadre.call("memory.search", { query, category, scope, limit });
    out.data(entries, () => shown(entries, "Nothing that is remembered fits."));
    return EXIT.ok;
  },
  async list({ open, out }, { category, scope, limit }) {
    await using cadre = await open();
    const { entries, isAll } = await cadre.call("memory.list", { category, scope, limit });
    out.data(entries, () => shown(entries, isAll ? "Nothing is remembered." : "Nothing counts here yet."));
    if (!isAll) out.talk("Only what counts of this project is shown without a terminal, not what waits, nor your own.");
    return EXIT.ok;
  },
  async accept({ open, out }, { text }) {
    const named = need(text, "the id of a memory", "cadre memory accept <id>");
    await using cadre = await open();
    const id = await resolveMemory(cadre, named);
    const { entry } = await cadre.call("memory.accept", { id });
    if (entry === null) throw noSuch(named);
    out.data(entry, () => `From now on it counts: ${safeLine(id)}`);
    return EXIT.ok;
  },
  async forget({ open, out }, { text }) {
    const named = need(text, "the id of a memory", "cadre memory forget <id>");
    await using cadre = await open();
    const id = await resolveMemory(cadre, named);
    const { forgotten } = await cadre.call("memory.forget", { id });
    if (!forgotten) throw noSuch(named);
    out.data({ forgotten }, () => `Forgotten: ${safeLine(id)}`);
    return EXIT.ok;
  },
};

const noSuch = (id: string) =>
  invalidInput(`there is no memory ${JSON.stringify(id)}`, { hint: "List what there is: cadre memory list" });

function need(given: string | undefined, what: string, hint: string): string {
  if (given !== undefined && given.trim() !== "") return given;
  throw invalidInput(`this needs ${what}`, { hint });
}

const shown = (entries: readonly Entry[], none: string): string =>
  entries.length === 0 ? none : entries.map(one).join("\n\n");

/** A script, or a program that speaks MCP, is neither a person nor an agent of ours. */
function author({ by, isPerson, task }: Entry["from"]): string {
  if (isPerson) return safeLine(by);
  return task === null ? `by ${safeLine(by)}, without a person` : `agent ${safeLine(by)}, ${task}`;
}

function one({ id, scope, category, content, from, acceptedBy }: Entry): string {
  const waits = acceptedBy === null ? "  waits for your word: accept or forget it" : "";
  return `${id}  ${scope}  ${category}  (${author(from)})${waits}\n${safeText(content)}`;
}
