// Files of a project that Gemini CLI obeys before anything else, once it may work there at all: its settings outrank the
// user's, and may start programs.
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { wouldObey } from "../cli/obeyed-files.ts";
import { isFields } from "../driven/json-fields.ts";
import { SERVER } from "../own-tools/server-name.ts";

/** Settings that only change how it looks. */
const HARMLESS = new Set(["$schema", "ui", "output"]);

/** Undefined: there is none. */
export async function obeyedFile(workspace: string): Promise<string | undefined> {
  const settings = join(workspace, ".gemini", "settings.json");
  const text = await readIfThere(settings);
  if (text !== undefined && !isHarmless(text)) return wouldObey("gemini", settings);
  for (let folder = workspace; ; folder = dirname(folder)) {
    const variables = join(folder, ".gemini", ".env");
    if ((await readIfThere(variables)) !== undefined) return wouldObey("gemini", variables);
    if (dirname(folder) === folder) return undefined;
  }
}

function isHarmless(text: string): boolean {
  try {
    const settings: unknown = JSON.parse(text);
    return (
      isFields(settings) &&
      Object.entries(settings).every(([key, value]) => HARMLESS.has(key) || (key === "mcpServers" && isOurs(value)))
    );
  } catch {
    return false; // with comments, or broken: it may read it otherwise than we do
  }
}

/** What `cadre connect` writes. By its name it is not among the servers that may be started here, whatever it says. */
const isOurs = (servers: unknown): boolean =>
  isFields(servers) && Object.keys(servers).every((name) => name === SERVER);

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    const isAbsent = error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
    return isAbsent ? undefined : "";
  }
}
