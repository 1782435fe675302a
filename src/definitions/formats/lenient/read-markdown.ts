import type { JsonObject } from "../../../schema/index.ts";
import { MAX_FILE_BYTES } from "../../own-format/size-limit.ts";
import type { Remark } from "../format.ts";
import { splitFrontMatter } from "./front-matter.ts";
import { readHeadingFile } from "./heading-file.ts";
import { parseYaml } from "./parse-yaml.ts";
import { repaired } from "./settings.ts";

export type MarkdownFile =
  | {
      readonly ok: true;
      readonly form: "front-matter" | "heading";
      readonly settings: JsonObject;
      /** Trimmed, its lines ending in `\n`. */
      readonly body: string;
      /** To be added to. */
      readonly remarks: Remark[];
    }
  | { readonly ok: false; readonly form: "front-matter" | "none"; readonly problem: string };

export interface MarkdownRules {
  /** The settings that the format knows. They help to read broken YAML. */
  readonly keys: ReadonlySet<string>;
  /** Whether a file with a heading and no front matter is an agent. */
  readonly takesHeadings?: boolean | undefined;
}

export const isTooBig = (text: string): boolean => Buffer.byteLength(text) > MAX_FILE_BYTES;
export const TOO_BIG = `the file has more than ${MAX_FILE_BYTES} bytes`;

/** Front matter and a body, as far as they can be made out. Never throws. */
export function readMarkdown(text: string, { keys, takesHeadings = false }: MarkdownRules): MarkdownFile {
  if (isTooBig(text)) return { ok: false, form: "none", problem: TOO_BIG };
  const parts = splitFrontMatter(text, keys);
  if (parts.yaml !== null) {
    const settings = parseYaml(parts.yaml, { keys });
    if (!settings.ok) return { ...settings, form: "front-matter" };
    return {
      ok: true,
      form: "front-matter",
      settings: settings.value,
      body: parts.body,
      remarks: [...parts.remarks, ...settings.remarks],
    };
  }
  const heading = takesHeadings ? readHeadingFile(parts.body) : undefined;
  if (heading === undefined)
    return {
      ok: false,
      form: "none",
      problem: "it has no front matter: a line of three dashes (---), then name and description",
    };
  const remark = repaired("front matter", "there is none; the first heading is taken for the name and the description");
  return { ok: true, form: "heading", ...heading, remarks: [...parts.remarks, remark] };
}
