// An imported agent as a file of ours. A checksum in a comment tells whether somebody has changed it since.
import { isDeepStrictEqual } from "node:util";
import { sha256 } from "../../platform/system-mint.ts";
import type { AgentDefinition } from "../../schema/index.ts";
import { readAgentText } from "../own-format/read-agent-text.ts";
import { MAX_YAML_BYTES } from "../own-format/size-limit.ts";
import { writeAgentMarkdown, writeAgentYaml } from "../own-format/write-agent.ts";

export interface ImportedText {
  /** The name of the file. */
  readonly file: string;
  readonly text: string;
}

const NOTE = "# Imported. What you change here stays, until it is imported again with --update.";
const CHECKSUM = /^# checksum: ([0-9a-f]{64})\n/m;

/** A problem where our own reader would not give the same agent back: nothing may be lost on the way to us. */
export async function importedText(definition: AgentDefinition): Promise<ImportedText | { readonly problem: string }> {
  const yaml = writeAgentYaml(definition);
  // Settings are bounded in size; a prompt that is longer has its place in the body.
  const isLong = Buffer.byteLength(yaml) > MAX_YAML_BYTES - 1024;
  const plain = isLong ? writeAgentMarkdown(definition).replace(/^---\n/, `---\n${NOTE}\n`) : `${NOTE}\n${yaml}`;
  const written = {
    file: `${definition.name}.${isLong ? "md" : "yml"}`,
    text: plain.replace(`${NOTE}\n`, () => `${NOTE}\n# checksum: ${sha256(plain)}\n`),
  };
  const read = await readAgentText(written.text, written.file);
  if (!read.ok) return { problem: read.problems.map(({ message }) => message).join("; ") };
  return isDeepStrictEqual(read.definition, definition) ? written : { problem: "it would not be read back as it is" };
}

/** Whether an import wrote it, whatever has become of it. */
export const wasImported = (text: string): boolean => CHECKSUM.test(text.slice(0, 512));

/** Whether a file is as an import wrote it. */
export function isAsImported(text: string): boolean {
  const sum = CHECKSUM.exec(text.slice(0, 512))?.[1];
  return sum !== undefined && sha256(text.replace(CHECKSUM, "")) === sum;
}
