// What was added to which file, in a file of the user's own: so that exactly that can be taken out again.
import { dirname } from "node:path";
import * as z from "zod";
import { invalidDefinition } from "../errors/index.ts";
import { type Snapshot, readHostFile, replaceHostFile } from "./files/host-file.ts";
import type { FilePlace } from "./files/real-place.ts";

const Common = {
  host: z.string(),
  scope: z.enum(["user", "project"]),
  root: z.string(),
  path: z.string(),
  what: z.string(),
  /** The hash of the whole text as it was written. */
  text: z.string(),
  /** The folders that were made for it, the outermost first. */
  folders: z.array(z.string()),
};

const EntryConnection = z.strictObject({
  kind: z.literal("entry"),
  ...Common,
  keys: z.array(z.string()),
  /** The hash of what the entry says. */
  content: z.string(),
  insertions: z.array(z.strictObject({ at: z.int().min(0), text: z.string() })),
  /** How many of the keys were there before. */
  depth: z.int().min(0),
  isNewFile: z.boolean(),
});
export type EntryConnection = z.infer<typeof EntryConnection>;

const FileConnection = z.strictObject({ kind: z.literal("file"), ...Common });
export type FileConnection = z.infer<typeof FileConnection>;

export type Connection = EntryConnection | FileConnection;

const Connections = z.strictObject({
  version: z.literal(1),
  connections: z.array(z.discriminatedUnion("kind", [EntryConnection, FileConnection])),
});

const MOST_TRIES = 20;

export interface ConnectionList {
  read(): Promise<readonly Connection[]>;
  /** In the place of the one for the same file, if there is one. */
  put(connection: Connection): Promise<void>;
  drop(connection: Pick<Connection, "host" | "path">): Promise<void>;
}

export const isSame = (one: Pick<Connection, "host" | "path">, other: Pick<Connection, "host" | "path">): boolean =>
  one.host === other.host && one.path === other.path;

export function connectionList(path: string): ConnectionList {
  const place: FilePlace = { path, scope: "user", root: dirname(dirname(path)) };
  const change = async (edit: (list: readonly Connection[]) => readonly Connection[]): Promise<void> => {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const before = await readHostFile(place);
      const connections = edit(listIn(path, before));
      const text = `${JSON.stringify({ version: 1, connections }, null, 2)}\n`;
      if ((await replaceHostFile(place, before, text)) === "done") return;
    }
    throw invalidDefinition(path, "is being changed by others all the time", "Try again.");
  };
  return {
    read: async () => listIn(path, await readHostFile(place)),
    put: (connection) =>
      change((list) =>
        list.some((one) => isSame(one, connection))
          ? list.map((one) => (isSame(one, connection) ? connection : one))
          : [...list, connection],
      ),
    drop: (connection) => change((list) => list.filter((one) => !isSame(one, connection))),
  };
}

function listIn(path: string, snapshot: Snapshot | null): readonly Connection[] {
  if (snapshot === null) return [];
  try {
    return Connections.parse(JSON.parse(snapshot.text)).connections;
  } catch (cause) {
    if (!(cause instanceof SyntaxError || cause instanceof z.ZodError)) throw cause;
    throw invalidDefinition(
      path,
      "is not a list of connections that this version can read",
      "Nothing was changed. Move it away: what is connected then stays, and is yours to take out.",
    );
  }
}
