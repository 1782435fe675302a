// What a file is, by its first bytes: text is read, anything else is only named.

const HEAD_BYTES = 8 * 1024;

/** Bytes at the beginning, as latin-1 text, and what they mean. */
const KNOWN: readonly (readonly [start: string, what: string])[] = [
  ["\x89PNG\r\n\x1a\n", "a PNG image"],
  ["\xff\xd8\xff", "a JPEG image"],
  ["GIF87a", "a GIF image"],
  ["GIF89a", "a GIF image"],
  ["II*\0", "a TIFF image"],
  ["MM\0*", "a TIFF image"],
  ["\0\0\x01\0", "an icon"],
  ["%PDF-", "a PDF document"],
  ["PK\x03\x04", "a ZIP archive (or an office document)"],
  ["\x1f\x8b", "a gzip archive"],
  ["\xfd7zXZ\0", "an xz archive"],
  ["\x28\xb5\x2f\xfd", "a zstd archive"],
  ["\x7fELF", "a program"],
  ["\0asm", "a WebAssembly module"],
  ["SQLite format 3\0", "an SQLite database"],
  ["\xff\xfe", "UTF-16 text"],
  ["\xfe\xff", "UTF-16 text"],
];

/** Undefined: text. */
export function natureOf(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, HEAD_BYTES)).toString("latin1");
  if (head.startsWith("RIFF") && head.slice(8, 12) === "WEBP") return "a WebP image";
  const known = KNOWN.find(([start]) => head.startsWith(start))?.[1];
  return known ?? (head.includes("\0") ? "a binary file" : undefined);
}

export const isImage = (nature: string): boolean => nature.endsWith(" image") || nature === "an icon";
