import type { Json } from "../../schema/index.ts";
import type { Tree } from "./tree.ts";

/** Something that is put into a text, between what is there. */
export interface Insertion {
  readonly at: number;
  readonly text: string;
}

/**
 * A language of configuration files, as far as one entry is put in and taken out.
 *
 * - Texts come without a byte order mark. What is inserted has `\n` at the end of its lines.
 * - `parse` throws a `TextProblem` for whatever the host itself could not read.
 * - `insert` and `remove` MUST leave everything else as it stands. They may be wrong about an unusual text: whoever
 *   calls them parses what they made, and takes nothing that says anything else than it should.
 */
export interface TextFormat {
  parse(text: string): Tree;
  /** Ways to put it there, the best first. Each is in the order of its places. */
  insert(text: string, keys: readonly string[], value: Json): readonly (readonly Insertion[])[];
  /** Without the entry, and without the maps around it down from `keepDepth` that hold nothing else. */
  remove(text: string, keys: readonly string[], keepDepth: number): string | null;
}
