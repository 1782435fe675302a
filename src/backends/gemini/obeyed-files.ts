// Files of a project that Gemini CLI obeys before anything else, once it may work there at all: its settings outrank the
// user's, and may start programs.
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isFields } from "../driven/json-fields.ts";

/** Settings that only change how it looks. */
const HARMLESS = new Set(["$schema", "ui", "output"]);

/** Undefined: there is none. */
export async function obeyedFile(workspace: string): Promise<string | undefined> {
  const settings = join(workspace, ".gemini", "settings.json");
  const text = await readIfThere(settings);
  if (text !== undefined && !isHarmless(text)) return because(settings);
  for (let folder = workspace; ; folder = dirname(folder)) {
    const variables = join(folder, ".gemini", ".env");
    if ((await readIfThere(variables)) !== undefined) return because(variables);
    if (dirname(folder) === folder) return undefined;
  }
}

const because = (file: string): string =>
  `gemini would obey ${file}, which can start programs and lift restrictions; move it away, or use another backend`;

function isHarmless(text: string): boolean {
  try {
    const settings: unknown = JSON.parse(text);
    return isFields(settings) && Object.keys(settings).every((key) => HARMLESS.has(key));
  } catch {
    return false; // with comments, or broken: it may read it otherwise than we do
  }
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    const isAbsent = error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
    return isAbsent ? undefined : "";
  }
}
