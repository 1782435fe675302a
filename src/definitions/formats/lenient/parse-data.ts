// TOML and JSON files, as plain data.
import { parse as parseJsonc, type ParseError } from "jsonc-parser";
import { parse as parseTomlText } from "smol-toml";
import { isObject, toJson } from "./json-value.ts";
import { isTooBig, TOO_BIG } from "./read-markdown.ts";
import { inOneLine, repaired, type Settings } from "./settings.ts";

const withoutMark = (text: string): string => (text.startsWith("\uFEFF") ? text.slice(1) : text);

function asSettings(kind: string, read: () => unknown): Settings {
  try {
    const value = toJson(read());
    return isObject(value) ? { ok: true, value, remarks: [] } : { ok: false, problem: `the ${kind} is not a map` };
  } catch (error) {
    const message = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
    return { ok: false, problem: inOneLine(`this is not ${kind}: ${message}`) };
  }
}

export const parseToml = (text: string): Settings =>
  isTooBig(text) ? { ok: false, problem: TOO_BIG } : asSettings("TOML", () => parseTomlText(withoutMark(text)));

/** Comments and trailing commas are read too, and reported. */
export function parseJson(text: string): Settings {
  if (isTooBig(text)) return { ok: false, problem: TOO_BIG };
  const strict = asSettings("JSON", () => JSON.parse(withoutMark(text)));
  if (strict.ok) return strict;
  const errors: ParseError[] = [];
  const loose = asSettings("JSON", () => parseJsonc(withoutMark(text), errors, { allowTrailingComma: true }));
  if (!loose.ok || errors.length > 0) return strict;
  return { ...loose, remarks: [repaired("file", "it has comments or trailing commas, which JSON does not")] };
}
