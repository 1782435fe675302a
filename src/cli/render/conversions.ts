// What became of agents on their way to or from another program.
import type { OperationOutput } from "../../operations/index.ts";
import type { Colors } from "./colors.ts";
import { safeLine } from "./safe-text.ts";

type Imported = OperationOutput<"agent.import">["agents"][number];
type Exported = OperationOutput<"agent.export">["agents"][number];
type Remark = Imported["remarks"][number];
type Result = Imported["result"] | Exported["result"];

const DONE: Readonly<Record<Result, readonly [done: string, dry: string]>> = {
  written: ["written to", "would be written to"],
  updated: ["updated", "would be updated:"],
  unchanged: ["unchanged:", "unchanged:"],
  shown: ["shown, as", "shown, as"],
  refused: ["refused:", "would be refused:"],
  failed: ["failed:", "would fail:"],
};

export const isBad = ({ result }: { readonly result: Result }): boolean => result === "refused" || result === "failed";

export function importReport(rows: readonly Imported[], dry: boolean, colors: Colors): string {
  if (rows.length === 0) return "No agents were found.";
  return rows
    .flatMap((row) => {
      const { agent, from, source, file, message, remarks } = row;
      const what = safeLine(isBad(row) ? (message ?? "") : (file ?? ""));
      const head = `${agent ?? safeLine(source)}: ${paint(row.result, dry, colors)} ${what}`;
      return [`${head} (from: ${safeLine(from)}, ${safeLine(source)})`, ...remarkLines(remarks, colors)];
    })
    .join("\n");
}

export const exportReport = (rows: readonly Exported[], dry: boolean, colors: Colors): string =>
  rows.length === 0 ? "No agents were found." : rows.flatMap((row) => exportLines(row, dry, colors)).join("\n");

export function exportLines(row: Exported, dry: boolean, colors: Colors): string[] {
  const { agent, to, file, isOriginal, message, remarks } = row;
  const what = safeLine(isBad(row) ? (message ?? "") : file);
  const head = `${agent}: ${paint(row.result, dry, colors)} ${what} (to: ${to}${isOriginal ? ", the original file" : ""})`;
  return [head, ...remarkLines(remarks, colors)];
}

function paint(result: Result, dry: boolean, colors: Colors): string {
  const word = DONE[result][dry ? 1 : 0];
  return isBad({ result }) ? colors.red(word) : colors.green(word);
}

const KIND_WIDTH = 8;

function remarkLines(remarks: readonly Remark[], colors: Colors): string[] {
  return remarks.map(({ kind, field, message, isRestriction }) => {
    const line = `  ${kind.padEnd(KIND_WIDTH)}  ${safeLine(field)}: ${safeLine(message)}`;
    return isRestriction === true ? colors.red(`${line} (a restriction)`) : line;
  });
}
