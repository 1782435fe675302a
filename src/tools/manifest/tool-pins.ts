// What a person has seen of a project's tools: the manifest, and the script that it starts.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { sha256 } from "../../platform/system-mint.ts";
import type { Pin } from "../../ports/index.ts";
import type { FoundTool } from "./tool-folders.ts";

type Tool = Pick<FoundTool, "manifest" | "folder" | "sha256">;

export const pinOf = (tool: Tool): Pin => ({ subject: subjectOf(tool), programs: [hashOf(tool)] });

/** In words; nothing: agents may have it. `pins` null: whoever runs this process answers for what is there. */
export function unseenOf(tool: Tool, pins: readonly Pin[] | null): string[] {
  const { proposed, command } = tool.manifest;
  if (pins === null && proposed === undefined) return [];
  const pin = pins?.find(({ subject }) => subject === subjectOf(tool));
  if (pin?.programs.includes(hashOf(tool)) === true) return [];
  const by = proposed === undefined ? [] : [`was written by ${proposed.by}, and nobody has agreed to it yet`];
  return [...by, `runs: ${command.join(" ")}`];
}

const subjectOf = ({ manifest }: Tool): string => `tool ${manifest.name.toLowerCase()}`;

/** A script of its own counts with it: the manifest alone does not say what happens. */
function hashOf({ manifest, folder, sha256: ofText }: Tool): string {
  const [program = ""] = manifest.command;
  return sha256(JSON.stringify([ofText, /^\.{1,2}\//.test(program) ? scriptHash(resolve(folder, program)) : null]));
}

function scriptHash(path: string): string {
  try {
    return sha256(readFileSync(path).toString("base64"));
  } catch {
    return "missing";
  }
}
