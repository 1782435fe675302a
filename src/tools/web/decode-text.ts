// Bytes to text: by what the answer says, by a mark at its beginning, by what the page says of itself.

const MARKS: readonly (readonly [readonly number[], string])[] = [
  [[0xef, 0xbb, 0xbf], "utf-8"],
  [[0xfe, 0xff], "utf-16be"],
  [[0xff, 0xfe], "utf-16le"],
];

/** A page must say it this early, or it does not count. */
const META_BYTES = 1024;
const META = /<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w:.-]{1,40})/i;
const XML = /^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w:.-]{1,40})/i;
const HEADER = /charset\s*=\s*"?\s*([\w:.-]{1,40})/i;

export function decodeText(bytes: Uint8Array, contentType: string): string {
  const mark = MARKS.find(([start]) => start.every((byte, at) => bytes[at] === byte))?.[1];
  const label = mark ?? HEADER.exec(contentType)?.[1] ?? declared(bytes) ?? "utf-8";
  return decode(label, bytes);
}

function declared(bytes: Uint8Array): string | undefined {
  const start = new TextDecoder("latin1").decode(bytes.subarray(0, META_BYTES));
  return (XML.exec(start) ?? META.exec(start))?.[1];
}

function decode(label: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder(label).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes); // a name that nobody knows
  }
}
