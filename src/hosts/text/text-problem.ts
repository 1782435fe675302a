/** Why a text cannot be read or changed. `where` is `line:column`, where that is known. */
export class TextProblem extends Error {
  readonly where: string | undefined;

  constructor(what: string, where?: string) {
    super(what);
    this.name = "TextProblem";
    this.where = where;
  }
}

export function placeIn(text: string, offset: number): string {
  const before = text.slice(0, offset).split("\n");
  return `${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
}
