// What the project's memory holds, for the host's model too. The user's own memory is not here: it is a person's.
import * as z from "zod";
import type { OperationOutput } from "../../operations/index.ts";
import { contextEnvelope } from "../../operations/words.ts";
import { hostTool, type ToolMaker } from "../host-tool.ts";
import { nonce } from "../show/nonce.ts";

const category = z.string().min(1).max(64).optional().describe("one word for what it is about");

export const memoryAddTool: ToolMaker = (_agents, { names }) =>
  hostTool({
    name: names.memory_add,
    description:
      "Propose something to be remembered for this project: once your user accepts it, later tasks that it fits are given it.",
    operations: ["memory.add"],
    effect: "works",
    input: z.strictObject({ content: z.string().min(1).describe("what to remember"), category }),
    async run({ content, category: about }, { cadre }) {
      const { entry, isNew } = await cadre.call("memory.add", { content, category: about });
      const waits = entry.acceptedBy === null;
      const data = { id: entry.id, category: entry.category, is_new: isNew, waits };
      const told = waits ? `; it counts once your user says: cadre memory accept ${entry.id}` : "";
      return { text: `${isNew ? `noted as ${entry.id}` : `it was there already, as ${entry.id}`}${told}`, data };
    },
  });

const SearchInput = z.strictObject({
  query: z.string().min(1).describe("words to look for"),
  category,
  limit: z.int().min(1).max(50).optional().meta({ description: "how many at the most", default: 10 }),
});

export const memorySearchTool: ToolMaker = (_agents, { names }) =>
  hostTool({
    name: names.memory_search,
    description: "Search what was remembered for this project, the best first.",
    operations: ["memory.search"],
    effect: "reads",
    input: SearchInput,
    async run({ query, category: about, limit = 10 }, { cadre, bounds }) {
      const { entries } = await cadre.call("memory.search", { query, category: about, limit });
      const shown = withinRoom(entries, bounds.pageChars).map(({ id, category: word, content, from, updatedAt }) => {
        const by = from.isPerson ? "a person" : from.by;
        return { id, category: word, content, by, updated_at: new Date(updatedAt).toISOString() };
      });
      const left = entries.length - shown.length;
      const data = { entries: shown, left_out: left };
      if (entries.length === 0) return { text: "Nothing like that is remembered.", data };
      const text = shown.map(({ id, category: word, by, updated_at: at, content }) => {
        return `${id} [${word}, by ${by}, ${at}] ${content}`;
      });
      const rest = left === 0 ? "" : `\n${left} more: search for fewer, or narrower.`;
      return {
        text: `${contextEnvelope({ source: "memory:project", isTrusted: false, text: text.join("\n") }, nonce())}${rest}`,
        data,
      };
    },
  });

type Entry = OperationOutput<"memory.search">["entries"][number];

function withinRoom(entries: readonly Entry[], chars: number): Entry[] {
  let left = chars;
  return entries.filter(({ content }, index) => (left -= content.length) >= 0 || index === 0);
}
