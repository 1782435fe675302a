// Which hosts there are, and whether they are connected. Nothing is changed.
import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import { CadreError } from "../errors/index.ts";
import { findProgram } from "../platform/find-program.ts";
import { sha256 } from "../platform/system-mint.ts";
import type { HostPlaceState, HostScope, HostState } from "../ports/index.ts";
import { type Connection, type ConnectionList, isSame } from "./connections.ts";
import { readHostFile } from "./files/host-file.ts";
import type { FilePlace } from "./files/real-place.ts";
import { filePlace } from "./find-place.ts";
import type { Ground, HostKind, ServerPlace } from "./kinds/kind.ts";
import { KINDS } from "./kinds/kinds.ts";
import { entryIn } from "./text/edit-text.ts";
import { TextProblem } from "./text/text-problem.ts";

const SCOPES: readonly HostScope[] = ["project", "user"];

export async function hostStates(ground: Ground, list: Pick<ConnectionList, "read">): Promise<HostState[]> {
  const known = await list.read();
  return Promise.all(
    [...KINDS].map(async ([host, kind]) => {
      const places = await Promise.all(SCOPES.map((scope) => placeState(host, kind, scope, ground, known)));
      const there = places.filter((place) => place !== null);
      const isFound = kind.programs.some((name) => isInstalled(name, ground)) || (await hasFolder(there, ground));
      return { host, title: kind.title, isFound, places: there };
    }),
  );
}

const isInstalled = (name: string, { env, project }: Ground): boolean =>
  findProgram(name, { cwd: project, path: env["PATH"] }).ok;

/** A folder of its own in the user's home. A project may hold one for others. */
async function hasFolder(places: readonly HostPlaceState[], { userHome }: Ground): Promise<boolean> {
  for (const { scope, file } of places) {
    const own = dirname(file) === userHome ? file : dirname(file);
    if (scope === "user" && (await stat(own).catch(() => undefined)) !== undefined) return true;
  }
  return false;
}

async function placeState(
  host: string,
  kind: HostKind,
  scope: HostScope,
  ground: Ground,
  known: readonly Connection[],
): Promise<HostPlaceState | null> {
  const server = kind.place(scope, ground);
  if (server === null) return null;
  const place = await filePlace(scope, server, ground);
  const record = known.find((one) => isSame(one, { host, path: place.path }));
  return { scope, file: place.path, state: await stateOf(place, server, record) };
}

async function stateOf(
  place: FilePlace,
  { format, keys }: ServerPlace,
  known: Connection | undefined,
): Promise<HostPlaceState["state"]> {
  try {
    const snapshot = await readHostFile(place);
    const found = snapshot === null ? undefined : entryIn(format, snapshot.text, keys);
    if (found === undefined) return "absent";
    if (known?.kind !== "entry") return "foreign";
    return known.content === sha256(found) ? "connected" : "changed";
  } catch (error) {
    if (error instanceof TextProblem || CadreError.isInstance(error)) return "broken";
    throw error;
  }
}
