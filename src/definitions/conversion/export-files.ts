// Where exported agents are written.
import { lstatSync } from "node:fs";
import { join } from "node:path";
import { invalidInput } from "../../errors/index.ts";
import { OwnedFolder } from "../../platform/owned-folder.ts";
import type { ExportedAgent, ExportWish } from "../../ports/index.ts";
import { MAX_FILE_BYTES } from "../own-format/size-limit.ts";

/** A folder of ours for a program's files. A link on the way there would lead into somebody else's. */
export function ownExportFolder(home: string, program: string): string {
  for (const folder of [join(home, "export"), join(home, "export", program)]) {
    const info = lstatSync(folder, { throwIfNoEntry: false });
    if (info !== undefined && !info.isDirectory()) throw invalidInput(`${folder} is a link or a file, not a folder`);
  }
  return join(home, "export", program);
}

export type Put = Pick<ExportedAgent, "result" | "message">;

/** What is there already and is something else stays, unless it may be overwritten. */
export function putFile(
  path: string,
  name: string,
  text: string,
  { dry, update }: Pick<ExportWish, "dry" | "update">,
): Put {
  const folder = new OwnedFolder(path);
  const there = folder.read(name, MAX_FILE_BYTES);
  if (there.kind === "text" && there.text === text) return { result: "unchanged", message: null };
  if (there.kind === "unusable") return { result: "refused", message: `the file that is there ${there.why}` };
  if (there.kind !== "missing" && !update) {
    return { result: "refused", message: "there is another file of that name; --update overwrites it" };
  }
  if (!dry) folder.replace(name, text);
  return { result: there.kind === "missing" ? "written" : "updated", message: null };
}
