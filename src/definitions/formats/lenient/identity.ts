import type { JsonObject } from "../../../schema/index.ts";
import type { Remark } from "../format.ts";
import type { Fields } from "./fields.ts";
import { slugOf } from "../../slug.ts";
import { nameFrom } from "./names.ts";

export type Identity =
  | {
      readonly ok: true;
      readonly name: string;
      readonly display_name: string | undefined;
      readonly description: string;
    }
  | { readonly ok: false; readonly problem: string };

export interface IdentityRules {
  /** What people call the program. */
  readonly program: string;
  /** The file's name without its ending, where that program takes it for a name. */
  readonly stem?: string | undefined;
}

/** A name that can be none here is slugged, and kept aside as it was written. */
export function readIdentity(fields: Fields, remarks: Remark[], { program, stem }: IdentityRules): Identity {
  const written = fields.text("name") ?? stem;
  const description = fields.text("description");
  if (written === undefined) return { ok: false, problem: `it has no name, so ${program} does not take it` };
  if (description === undefined) {
    return { ok: false, problem: `${written}: it has no description, so ${program} does not take it` };
  }
  const named = nameFrom(written);
  if (named === undefined) return { ok: false, problem: `${JSON.stringify(written)} cannot be made into a name` };
  if (named.name !== written) fields.keep("name", written);
  remarks.push(...named.remarks);
  return { ok: true, name: named.name, display_name: named.display_name, description };
}

/** As the file that the agent came from had it, unless the agent has been renamed since. */
export function nameToWrite(name: string, aside: JsonObject): string {
  const written = aside["name"];
  return typeof written === "string" && slugOf(written) === name ? written : name;
}
