// A new tool on the disk: a folder of its own, which must not be there yet.
import { lstatSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { invalidInput } from "../../errors/index.ts";
import { ManifestName } from "./manifest.ts";

export interface Script {
  readonly name: string;
  readonly text: string;
}

export function writeTool(folder: string, name: string, manifest: string, script?: Script): string {
  checkName(name);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (!lstatSync(folder).isDirectory()) throw invalidInput(`${folder} is a link, not a folder`);
  const own = join(folder, name);
  const file = join(own, "tool.yml");
  try {
    mkdirSync(own, { mode: 0o700 });
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    throw invalidInput(`${own} is there already: nothing was changed`, {
      hint: "Choose another name, or edit its tool.yml.",
    });
  }
  try {
    if (script !== undefined) writeFileSync(join(own, script.name), script.text, { flag: "wx", mode: 0o700 });
    writeFileSync(file, manifest, { flag: "wx", mode: 0o600 });
  } catch (error) {
    rmSync(own, { recursive: true, force: true });
    throw error;
  }
  return file;
}

function checkName(name: string): void {
  const parsed = ManifestName.safeParse(name);
  if (parsed.success) return;
  throw invalidInput(`${JSON.stringify(name)} cannot be the name of a tool: ${parsed.error.issues[0]?.message ?? ""}`);
}

/** As YAML, and as strict as if a person had written it: what cannot be read back is refused. */
export async function manifestText(fields: { readonly name: string }): Promise<string> {
  checkName(fields.name);
  const [{ stringify }, { readManifest }] = await Promise.all([import("yaml"), import("./read-manifest.ts")]);
  const text = stringify(fields, { schema: "core", aliasDuplicateObjects: false });
  const read = readManifest(text, "tool.yml", fields.name);
  if (read.ok) return text;
  throw invalidInput(`no tool can be made of that: ${read.problems.join("; ")}`);
}
