// Programs that delegate here, and what became of their files.
import type { OperationOutput } from "../../operations/index.ts";
import type { Colors } from "./colors.ts";
import { safeLine, safeText } from "./safe-text.ts";
import { table } from "./table.ts";

type Hosts = OperationOutput<"host.list">["hosts"];
type Done = OperationOutput<"host.connect">;
type Change = Done["changes"][number];

export const isRefused = ({ result }: Change): boolean => result === "refused";

export const hostTable = (hosts: Hosts): string =>
  table(
    ["HOST", "PROGRAM", "FOUND", "SCOPE", "STATE", "FILE"],
    hosts.flatMap(({ host, title, isFound, places }) =>
      places.map(({ scope, file, state }) => [host, title, isFound ? "yes" : "no", scope, state, safeLine(file)]),
    ),
  );

const WORDS: Readonly<Record<Change["result"], readonly [done: string, dry: string]>> = {
  written: ["written", "would be written"],
  updated: ["updated", "would be updated"],
  unchanged: ["already connected", "already connected"],
  removed: ["removed", "would be removed"],
  kept: ["kept", "would be kept"],
  refused: ["refused", "would be refused"],
  gone: ["gone", "gone"],
};

/** A line per file; before anything is done, with what would change in it. */
export function changeReport({ changes, dry, host }: Done, colors: Colors): string {
  if (changes.length === 0) return `${safeLine(host)} is not connected`;
  return changes.map((change) => lines(change, dry, colors).join("\n")).join("\n");
}

function lines({ what, file, result, message, diff }: Change, dry: boolean, colors: Colors): string[] {
  const word = WORDS[result][dry ? 1 : 0];
  const painted = result === "refused" || result === "kept" ? colors.yellow(word) : colors.green(word);
  const why = message === null ? "" : `: ${safeLine(message)}`;
  const shown = dry && diff !== null ? safeText(diff.trimEnd()).split("\n") : [];
  return [`${safeLine(what)}: ${painted} (${safeLine(file)})${why}`, ...shown];
}
