export interface TypedLine {
  readonly agent: string;
  readonly prompt: string;
}

/** `coder-agent "What to do"` as somebody typed it elsewhere: the first word, and the rest without quotes around it. */
export function typedLine(line: string): TypedLine {
  const [, agent = "", rest = ""] = /^\s*(\S*)\s*([^]*?)\s*$/.exec(line) ?? [];
  const isQuoted = rest.length > 1 && rest.startsWith('"') && rest.endsWith('"');
  return { agent, prompt: isQuoted ? rest.slice(1, -1) : rest };
}
