import { AgentName } from "../../../schema/index.ts";
import { mapped } from "./settings.ts";
import { slugOf } from "../../slug.ts";
import type { Remark } from "../format.ts";

export interface Named {
  readonly name: string;
  /** As it was written, where that cannot be a name here. */
  readonly display_name?: string | undefined;
  readonly remarks: readonly Remark[];
}

/** The name itself where it can be one here, else its slug; undefined where it has none. */
export function nameFrom(written: string, field = "name"): Named | undefined {
  const text = written.trim();
  if (AgentName.safeParse(text).success && !text.startsWith("-")) return { name: text, remarks: [] };
  const slug = slugOf(text);
  if (slug === undefined) return undefined;
  return {
    name: slug,
    display_name: text,
    remarks: [mapped(field, `${JSON.stringify(text.slice(0, 80))} is called ${slug} here`)],
  };
}

/** `review/api.agent.md` is `api`. */
export const fileStem = (below: string, endings: readonly string[]): string => {
  const file = below.split("/").at(-1) ?? below;
  const ending = endings.find((one) => file.toLowerCase().endsWith(one));
  return ending === undefined ? file : file.slice(0, -ending.length);
};

/** Files that lie beside agents and are none, unless they have front matter. */
export const isForPeople = (below: string): boolean =>
  /(?:^|\/)(?:readme|changelog|contributing|license|index|claude|agents|gemini|qwen)\.md$/i.test(below);
