import { nearest } from "../../domain/nearest.ts";
import { invalidInput } from "../../errors/index.ts";
import { type FormatId, FORMATS } from "../formats/format.ts";

/** By its id, as people type it. */
export function formatNamed(name: string): FormatId {
  const found = FORMATS.find((id) => id === name.toLowerCase());
  if (found !== undefined) return found;
  const meant = nearest(name, FORMATS);
  throw invalidInput(`there is no format called "${name}"${meant === undefined ? "" : `; did you mean "${meant}"?`}`, {
    hint: `There are: ${FORMATS.join(", ")}`,
  });
}
