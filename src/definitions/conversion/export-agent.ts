// An agent as another program's file, and what is lost by it.
import { basename } from "node:path";
import type { AgentDefinition } from "../../schema/index.ts";
import type { Format, Remark } from "../formats/format.ts";
import type { FoundText } from "./foreign-files.ts";
import { isStill } from "./imported-definition.ts";
import { isRestriction, lossOf } from "./loss.ts";

export type Exported =
  | {
      readonly ok: true;
      /** A name, without a folder. */
      readonly file: string;
      readonly text: string;
      readonly isOriginal: boolean;
      readonly remarks: readonly Remark[];
    }
  | { readonly ok: false; readonly problem: string };

/** `original` is the file that the agent came from, if it is there. */
export function exportAgent(definition: AgentDefinition, format: Format, original: FoundText | undefined): Exported {
  if (original !== undefined && isUntouched(definition, format, original)) {
    const file = basename(original.path);
    return { ok: true, file, text: original.text, isOriginal: true, remarks: [] };
  }
  if (format.write === undefined) return { ok: false, problem: `${format.label} is only read, not written` };
  const written = format.write(withoutNative(definition));
  const file = basename(written.file);
  const back = format.read({ path: file, below: file, text: written.text });
  const [reading] = back;
  if (reading === undefined || back.length > 1) return { ok: false, problem: `${format.label} would not take it` };
  if (!reading.ok) return { ok: false, problem: `${format.label} would not take it: ${reading.problem}` };
  const remarks = [...lossOf(definition, reading.definition), ...saidByReader(definition, format, reading.remarks)];
  return { ok: true, file, text: written.text, isOriginal: false, remarks };
}

/** Cadre's own loop means nothing to another program. */
function withoutNative({ backend, ...rest }: AgentDefinition): AgentDefinition {
  const others = [backend ?? []].flat().filter((name) => name !== "native");
  return others.length === 0 ? rest : { ...rest, backend: others };
}

/** The same file, holding this agent alone, and nobody has changed the agent since. */
function isUntouched(definition: AgentDefinition, format: Format, original: FoundText): boolean {
  const { source } = definition;
  if (source?.from !== format.id) return false;
  if (source.sha256 !== undefined && source.sha256 !== original.sha256) return false;
  const readings = format.read(original);
  const [only] = readings;
  return readings.length === 1 && only?.ok === true && isStill(definition, only.definition, format.id);
}

/**
 * What is narrowed in reading is wider in the file. Where the agent came from such a file, that is how it was;
 * else it would be something that nobody meant.
 */
function saidByReader(definition: AgentDefinition, { id }: Format, remarks: readonly Remark[]): Remark[] {
  return remarks.map((remark): Remark => {
    if (remark.kind !== "narrowed" || definition.x[id] !== undefined) return remark;
    return {
      kind: "lost",
      field: remark.field,
      message: `there it means more: ${remark.message}`,
      isRestriction: true,
    };
  });
}

export const restrictionsLost = (remarks: readonly Remark[]): readonly Remark[] => remarks.filter(isRestriction);
