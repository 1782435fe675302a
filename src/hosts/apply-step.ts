// One file, from looking at it to having changed it. What is going to be added is written down first: a crash in
// between leaves a note about something that is not there, and never something that nobody knows of.
import { sep } from "node:path";
import type { HostChange } from "../ports/index.ts";
import { type Connection, type ConnectionList, isSame } from "./connections.ts";
import { readHostFile, removeFolders, replaceHostFile } from "./files/host-file.ts";
import type { FilePlace } from "./files/real-place.ts";
import { hostFileBusy } from "./refusals.ts";
import { unifiedDiff } from "./unified-diff.ts";

export interface Decision {
  readonly result: HostChange["result"];
  readonly message?: string;
  /** What the file shall hold; null: there shall be none; undefined: it stays. */
  readonly text?: string | null;
  readonly put?: Connection;
  readonly isDropped?: boolean;
}

export interface Step {
  readonly host: string;
  readonly what: string;
  readonly place: FilePlace;
  decide(text: string | null, known: Connection | undefined): Decision | Promise<Decision>;
}

const MOST_TRIES = 4;

export async function applyStep(list: ConnectionList, step: Step, dry: boolean): Promise<HostChange> {
  const { host, what, place } = step;
  const one = { host, path: place.path };
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const before = await readHostFile(place);
    const known = (await list.read()).find((connection) => isSame(connection, one));
    const decision = await step.decide(before?.text ?? null, known);
    const { text, result, message = null } = decision;
    const diff = text === undefined ? null : unifiedDiff(place.path, before?.text ?? null, text);
    const change: HostChange = { file: place.path, what, result, message, diff };
    if (dry) return change;
    if (decision.put !== undefined) await list.put(decision.put);
    const done = text === undefined ? "done" : await replaceHostFile(place, before, text).catch(asFailed);
    if (done === "done") {
      if (decision.isDropped === true) await forget(list, one, known);
      return change;
    }
    if (decision.put !== undefined) await (known === undefined ? list.drop(one) : list.put(known)); // nothing was written
    if (done !== "changed") throw done.error;
  }
  throw hostFileBusy(place.path);
}

/** Folders that something of ours still lies in are from now on that one's to remove. */
async function forget(list: ConnectionList, one: Pick<Connection, "host" | "path">, known: Connection | undefined) {
  await list.drop(one);
  const left = await removeFolders(known?.folders ?? []);
  const heir = (await list.read()).find(({ path }) => left.some((folder) => path.startsWith(`${folder}${sep}`)));
  if (heir !== undefined) {
    const folders = left.filter((folder) => heir.path.startsWith(`${folder}${sep}`));
    await list.put({ ...heir, folders: [...new Set([...folders, ...heir.folders])] });
  }
}

const asFailed = (error: unknown) => ({ error });
