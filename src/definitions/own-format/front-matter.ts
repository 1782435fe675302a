/** A part of a file, and where in the file's text it begins. */
export interface Section {
  readonly text: string;
  readonly start: number;
}

export type FrontMatter =
  | { readonly ok: true; readonly yaml: Section; readonly body: Section }
  | { readonly ok: false; readonly message: string };

/** Without the flag `m`: with it, a line would also begin after a lone carriage return or U+2028. */
const fence = () => /(?:^|\n)---[ \t]*\r?(?=\n|$)/g;

export function splitFrontMatter(text: string): FrontMatter {
  const lines = fence();
  const opening = text.startsWith("---") ? lines.exec(text) : null;
  if (opening?.index !== 0) {
    return { ok: false, message: "the file must begin with a line of three dashes (---) and the agent's settings" };
  }
  const start = lines.lastIndex + 1;
  const closing = lines.exec(text);
  if (closing === null) {
    return { ok: false, message: "the settings that begin here are never closed by a line of three dashes (---)" };
  }
  const bodyStart = Math.min(lines.lastIndex + 1, text.length);
  return {
    ok: true,
    yaml: { text: text.slice(start, closing.index + 1), start },
    body: { text: text.slice(bodyStart), start: bodyStart },
  };
}
