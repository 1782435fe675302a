// Tools of Claude Code, as the policy knows them: which of ours each is, and what a call of it would touch.
import { existsSync, statSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import { toolsCalled } from "../../domain/tool-names.ts";
import type { ToolUse } from "../../ports/index.ts";
import type { Json } from "../../schema/index.ts";
import type { ReadCommand } from "../cli/cli.ts";
import { type Fields, fieldsOf, jsonOf, textOf } from "../driven/json-fields.ts";
import type { WantedTool } from "../cli/said.ts";
import { placeOf } from "../cli/place-of.ts";

/** Ours that it has, by the same names. */
export const OFFERED = ["Read", "Glob", "Grep", "Write", "Edit", "Bash", "WebFetch", "WebSearch"] as const;

/** What its answer is put into where an output schema is set. It does nothing else. */
export const STRUCTURED = "StructuredOutput";

/** What a call is read with. */
export interface CallReader {
  readonly root: string;
  readonly readCommand: ReadCommand;
  /** Whether its own searches by this tool leave out whatever rules close to it. */
  readonly leavesOut: (tool: string) => boolean;
}

type Reading = (input: Fields, reader: CallReader) => ToolUse | string;

const file =
  (effect: "read" | "write", field: string): Reading =>
  (input, { root }) => {
    const path = textOf(input[field]);
    return path === undefined ? `${field} is missing` : { effect, path: placeOf(path, root) };
  };

const folder: Reading = (input, reader) => {
  const pattern = textOf(input["pattern"]) ?? "";
  if (pattern.split("/").includes("..")) return "a pattern must not lead upwards";
  // A pattern may begin anywhere, whatever the folder says.
  const start = pattern.startsWith("/") ? (/^[^*?[\]{}]*\//.exec(pattern)?.[0] ?? "/") : (textOf(input["path"]) ?? ".");
  return search("Glob", start, reader);
};

/**
 * Below a single file there is nothing: the rules for its own path are enough. Through a link files have other names than
 * those that are left out, and outside of the project it was told of none.
 */
function search(tool: string, start: string, { root, leavesOut }: CallReader): ToolUse {
  const path = placeOf(start, root);
  const place = resolve(root, path);
  const isFile = existsSync(place) && statSync(place).isFile();
  const isHeld = leavesOut(tool) && !isAbsolute(path) && place === resolve(root, start);
  return { effect: "read", path, ...(isFile || isHeld ? {} : { showsAllBelow: true }) };
}

const USES: Readonly<Record<string, Reading>> = {
  Read: file("read", "file_path"),
  Write: file("write", "file_path"),
  Edit: file("write", "file_path"),
  Glob: folder,
  Grep: (input, reader) => search("Grep", textOf(input["path"]) ?? ".", reader),
  Bash(input, { root, readCommand }) {
    const command = textOf(input["command"]);
    if (command === undefined) return "command is missing";
    if (input["run_in_background"] === true) return "commands do not run in the background here";
    return { effect: "exec", ...readCommand(command, root) };
  },
  WebFetch(input) {
    const host = URL.parse(textOf(input["url"]) ?? "")?.hostname;
    return host === undefined ? "url is not an address" : { effect: "net", host };
  },
  WebSearch: () => ({ effect: "net" }),
};

export function wantedTool(name: string, input: unknown, reader: CallReader): WantedTool {
  const given: Json = jsonOf(input);
  const [tool] = toolsCalled("claude", name) ?? [];
  const reading = Object.hasOwn(USES, name) ? USES[name] : undefined;
  if (tool === undefined || reading === undefined) {
    return { tool: name, use: { effect: "exec" }, input: given, problem: `${name} is no tool that was given` };
  }
  const use = reading(fieldsOf(input), reader);
  return typeof use === "string"
    ? { tool, use: { effect: "exec" }, input: given, problem: use }
    : { tool, use, input: given };
}
