import { sha256 } from "../platform/system-mint.ts";
import type { Decision, Step } from "./apply-step.ts";
import type { Connection, EntryConnection } from "./connections.ts";
import { inFile } from "./refusals.ts";
import { entryIn, removeEntry, takeBack } from "./text/edit-text.ts";
import type { TextFormat } from "./text/text-format.ts";

const GONE: Decision = { result: "gone", message: "it was taken out already", isDropped: true };
const CHANGED: Decision = {
  result: "kept",
  message: "it was changed since it was connected, and stays as it is; --force removes it",
};

export function disconnectStep(known: Connection, format: TextFormat | undefined, force: boolean): Step {
  const { host, what, path, scope, root } = known;
  return {
    host,
    what,
    place: { path, scope, root },
    decide(text) {
      if (text === null) return GONE;
      if (known.kind === "entry" && format !== undefined)
        return inFile(path, `Or take "${known.keys.join(".")}" out by hand.`, () =>
          withoutEntry(text, known, format, force),
        );
      if (known.text !== sha256(text) && !force) return CHANGED;
      return { result: "removed", text: null, isDropped: true };
    },
  };
}

function withoutEntry(text: string, known: EntryConnection, format: TextFormat, force: boolean): Decision {
  if (known.text === sha256(text)) return removed(takeBack(text, known.insertions), known);
  const found = entryIn(format, text, known.keys);
  if (found === undefined) return GONE;
  if (known.content !== sha256(found) && !force) return CHANGED;
  return removed(removeEntry(format, text, known.keys, known), known);
}

/** A file that was made for the entry goes with it, unless there is something else in it by now. */
function removed(text: string, { isNewFile }: EntryConnection): Decision {
  const isEmpty = isNewFile && /^\uFEFF?\s*(?:\{\s*\}\s*)?$/.test(text);
  return { result: "removed", text: isEmpty ? null : text, isDropped: true };
}
