// Work on something that should be there. Where it is not, a look around helps: most paths that lead nowhere are
// nearly right.
import { nearest } from "../../domain/nearest.ts";
import { CadreError } from "../../errors/index.ts";
import { listConfined } from "../../platform/confined-walk.ts";
import type { ToolResult } from "../../ports/index.ts";
import { failed } from "../define-tool.ts";
import type { FileParts } from "./file-parts.ts";
import type { Place } from "./places.ts";

type Lookout = Pick<FileParts, "places" | "finders">;

export async function onExisting(
  parts: Lookout,
  field: string,
  text: string,
  work: (place: Place) => Promise<ToolResult>,
): Promise<ToolResult> {
  const found = parts.places.locate(field, text);
  if (!found.ok) return failed(found.problem);
  try {
    return await work(found.place);
  } catch (error) {
    if (!CadreError.isInstance(error)) throw error;
    if (error.facts["kind"] === "folder")
      return failed([`${found.place.shown} is a folder.`, ...lookInto(parts)].join(" "));
    if (error.facts["why"] !== "ENOENT") throw error;
    return failed(await missing(parts, found.place, text));
  }
}

async function missing({ places, finders }: Lookout, place: Place, text: string): Promise<string> {
  const what = `${place.shown} does not exist.`;
  if (text.includes("\\")) return `${what} Folders are separated by "/", not by "\\".`;
  const steps = place.path.split("/");
  const name = steps.at(-1) ?? "";
  const above: Place = { ...place, path: steps.slice(0, -1).join("/") || "." };
  const entries = await listConfined(above.root, above.path).catch(() => []);
  const sight = places.sight("Read", above);
  const names = entries.map((entry) => entry.name).filter((other) => sight.shows(places.below(above, other)));
  const nameOf = (other: string): string => JSON.stringify(places.below(above, other).shown);
  const twin = names.find((other) => plain(other) === plain(name));
  if (twin !== undefined)
    return `${what} There is ${nameOf(twin)}: the two differ in upper and lower case, in spaces, or in how letters with marks are written.`;
  const meant = nearest(name, names.slice(0, MAX_GUESSES));
  if (meant !== undefined) return `${what} Did you mean ${nameOf(meant)}?`;
  return finders.length === 0 ? what : `${what} Look for it with ${finders.join(" or ")}.`;
}

const lookInto = ({ finders }: Lookout): string[] =>
  finders.slice(-1).map((name) => `Use ${name} to see what is in it.`);

const MAX_GUESSES = 2_000;

const plain = (name: string): string => name.normalize("NFKC").toLowerCase().trim();
