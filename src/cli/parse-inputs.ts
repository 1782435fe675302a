import { readFile } from "node:fs/promises";
import * as z from "zod";
import { invalidInput } from "../errors/index.ts";
import { JsonObject } from "../schema/index.ts";

/** `--inputs file.json`, then `--input name=value` over it. What a text means is decided by the declared type. */
export async function parseInputs(pairs: readonly string[], file: string | undefined): Promise<JsonObject> {
  const fromFile = file === undefined ? {} : await readInputs(file);
  const fromPairs = pairs.map((pair): [string, string] => {
    const at = pair.indexOf("=");
    if (at < 1)
      throw invalidInput(`--input ${pair}: there is no name before a "="`, { hint: "Write it as --input name=value" });
    return [pair.slice(0, at), pair.slice(at + 1)];
  });
  return { ...fromFile, ...Object.fromEntries(fromPairs) };
}

async function readInputs(file: string): Promise<JsonObject> {
  const hint = 'It must hold one JSON object, such as {"target": "src"}.';
  try {
    return JsonObject.parse(JSON.parse(await readFile(file, "utf8")));
  } catch (error) {
    const why =
      error instanceof z.ZodError ? "it is no JSON object" : error instanceof Error ? error.message : String(error);
    throw invalidInput(`--inputs ${file} could not be read: ${why}`, { hint, cause: error });
  }
}
