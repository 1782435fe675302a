// stdout is data, stderr is talk. With `--json` stdout is one object, the same for every command.
import { type Colors, colorsFor } from "./render/colors.ts";

const SCHEMA_VERSION = 1;

export interface Output {
  readonly isJson: boolean;
  readonly colors: Colors;
  /** The command's result: JSON where asked for, else the text that `render` makes of it. */
  data<T>(value: T, render: (value: T) => string): void;
  /** Everything else: progress, hints, warnings. */
  talk(line: string): void;
}

export interface Streams {
  readonly stdin: { readonly isTTY?: boolean };
  readonly stdout: { write(text: string): unknown; readonly isTTY?: boolean };
  readonly stderr: { write(text: string): unknown; readonly isTTY?: boolean };
  readonly env: Readonly<Record<string, string | undefined>>;
}

export function openOutput({ stdout, stderr, env }: Streams, isJson: boolean): Output {
  const isColored = stderr.isTTY === true && env["NO_COLOR"] === undefined && env["TERM"] !== "dumb";
  return {
    isJson,
    colors: colorsFor(isColored),
    data(value, render) {
      const text = isJson ? JSON.stringify({ schemaVersion: SCHEMA_VERSION, data: value }, null, 2) : render(value);
      stdout.write(`${text}\n`);
    },
    talk: (line) => void stderr.write(`${line}\n`),
  };
}
