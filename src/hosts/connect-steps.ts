import { sha256 } from "../platform/system-mint.ts";
import type { Json } from "../schema/index.ts";
import type { Decision, Step } from "./apply-step.ts";
import type { Connection, EntryConnection } from "./connections.ts";
import { missingFolders } from "./files/host-file.ts";
import type { FilePlace } from "./files/real-place.ts";
import { foreignEntry, inFile } from "./refusals.ts";
import { contentOfValue, entryIn, insertEntry, removeEntry } from "./text/edit-text.ts";
import type { TextFormat } from "./text/text-format.ts";

export interface EntryWish {
  readonly host: string;
  readonly place: FilePlace;
  readonly format: TextFormat;
  readonly keys: readonly string[];
  readonly value: Json;
}

export function entryStep({ host, place, format, keys, value }: EntryWish): Step {
  const byHand = `Or add it by hand, as "${keys.join(".")}": ${JSON.stringify(value)}`;
  const wanted = contentOfValue(value);
  return {
    host,
    what: "server",
    place,
    decide: (text, known) =>
      inFile(place.path, byHand, async (): Promise<Decision> => {
        const found = text === null ? undefined : entryIn(format, text, keys);
        const ours = known?.kind === "entry" ? known : undefined;
        if (found === wanted)
          return ours === undefined ? { result: "unchanged", message: NOT_OURS } : { result: "unchanged" };
        if (found !== undefined && ours === undefined) throw foreignEntry(place.path, keys);
        if (found !== undefined && ours?.content !== sha256(found)) return { result: "kept", message: CHANGED };
        const isThere = found !== undefined && ours !== undefined;
        const base = isThere ? removeEntry(format, text ?? "", keys, ours) : (text ?? "");
        const inserted = insertEntry(format, base, keys, value);
        const origin = isThere ? ours : await origins(place, text === null);
        return {
          result: isThere ? "updated" : "written",
          text: inserted.text,
          put: {
            kind: "entry",
            ...placed(host, place, "server"),
            keys: [...keys],
            content: sha256(wanted),
            text: sha256(inserted.text),
            insertions: [...inserted.insertions],
            depth: isThere ? Math.min(ours.depth, inserted.depth) : inserted.depth,
            folders: origin.folders,
            isNewFile: origin.isNewFile,
          },
        };
      }),
  };
}

const NOT_OURS = "it is there already, and was not put there by this command: cadre disconnect will leave it";
const CHANGED = "it was changed since it was connected, and stays as it is";

async function origins(place: FilePlace, isNewFile: boolean): Promise<Pick<EntryConnection, "folders" | "isNewFile">> {
  return { folders: isNewFile ? await missingFolders(place) : [], isNewFile };
}

const placed = (host: string, { path, scope, root }: FilePlace, what: string) => ({ host, path, scope, root, what });

/** A whole file: there is nothing else in it. */
export function fileStep(host: string, place: FilePlace, what: string, wanted: string): Step {
  return {
    host,
    what,
    place,
    async decide(text, known): Promise<Decision> {
      if (text === wanted) return { result: "unchanged" };
      if (text !== null && known?.text !== sha256(text))
        return known === undefined ? { result: "refused", message: TAKEN } : { result: "kept", message: CHANGED };
      const folders = text === null ? await missingFolders(place) : (known?.folders ?? []);
      const put: Connection = { kind: "file", ...placed(host, place, what), text: sha256(wanted), folders };
      return { result: text === null ? "written" : "updated", text: wanted, put };
    },
  };
}

const TAKEN = "there is another file in its place, which stays as it is";
