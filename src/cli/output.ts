// stdout is data, stderr is talk. With `--json` stdout is one object, the same for every command.
import { type Colors, colorsFor } from "./render/colors.ts";

const SCHEMA_VERSION = 1;

export interface Output {
  readonly isJson: boolean;
  /** For talk. What goes to stdout gets its own: each stream may be a terminal, or not. */
  readonly colors: Colors;
  /** The command's result: JSON where asked for, else the text that `render` makes of it. */
  data<T>(value: T, render: (value: T, colors: Colors) => string): void;
  /** One of many results that come one by one: with `--json`, a line each. */
  item<T>(value: T, render: (value: T) => void): void;
  /** Everything else: progress, hints, warnings. */
  talk(line: string): void;
}

export interface Streams {
  readonly stdin: { readonly isTTY?: boolean };
  readonly stdout: { write(text: string): unknown; readonly isTTY?: boolean };
  readonly stderr: { write(text: string): unknown; readonly isTTY?: boolean };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborted once nobody reads what is written: a command that does nothing but show has no more to do. */
  readonly unread: AbortSignal;
}

export function openOutput({ stdout, stderr, env }: Omit<Streams, "unread">, isJson: boolean): Output {
  const mayColor = env["NO_COLOR"] === undefined && env["TERM"] !== "dumb";
  const dataColors = colorsFor(mayColor && stdout.isTTY === true);
  return {
    isJson,
    colors: colorsFor(mayColor && stderr.isTTY === true),
    data(value, render) {
      const text = isJson
        ? JSON.stringify({ schemaVersion: SCHEMA_VERSION, data: value }, null, 2)
        : render(value, dataColors);
      stdout.write(`${text}\n`);
    },
    item(value, render) {
      if (isJson) stdout.write(`${JSON.stringify({ schemaVersion: SCHEMA_VERSION, data: value })}\n`);
      else render(value);
    },
    talk: (line) => void stderr.write(`${line}\n`),
  };
}
