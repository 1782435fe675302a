import type { AgentText, FoundFile, TextReader } from "./agent-file.ts";

export interface TextLayer {
  readonly layer: { readonly reader?: TextReader | undefined; readonly trustRoot: string | null };
  readonly files: readonly FoundFile[];
}

/**
 * Files that complete each other, made into agents: all layers of their reader become one, in the place of the first.
 * Only files that are trusted alike: what a project says must not complete what is the user's.
 */
export function textJoiner(): <Layer extends TextLayer>(layers: readonly Layer[]) => Promise<Layer[]> {
  const known = new Map<string, { readonly texts: readonly AgentText[]; readonly files: readonly FoundFile[] }>();
  const read = async (key: string, reader: TextReader, texts: readonly AgentText[]): Promise<readonly FoundFile[]> => {
    const last = known.get(key);
    // Of a file that has not changed, the text is the same object.
    if (last?.texts.length === texts.length && texts.every((text, index) => text === last.texts[index]))
      return last.files;
    const files = (await reader.together?.(texts)) ?? [];
    known.set(key, { texts, files });
    return files;
  };
  return async (layers) => {
    const done = new Set<string>();
    const joined = await Promise.all(
      layers.map(async (one) => {
        const { reader, trustRoot } = one.layer;
        if (reader?.together === undefined) return [one];
        const key = `${reader.id}\n${trustRoot}`;
        if (done.has(key)) return [];
        done.add(key);
        const group = layers.filter(({ layer }) => layer.reader === reader && layer.trustRoot === trustRoot);
        const all = group.flatMap(({ files }) => files);
        const texts = all.flatMap(({ text }) => (text === undefined ? [] : [text]));
        const failed = all.filter(({ text }) => text === undefined);
        return [{ ...one, files: [...failed, ...(await read(key, reader, texts))] }];
      }),
    );
    return joined.flat();
  };
}
