/** What an answer is: read as a page, passed on as text, or nothing that can be read here. */
export type ContentKind = "html" | "text" | "other";

const TEXT =
  /^(text\/|application\/([a-z0-9.+-]+\+)?(json|xml|yaml|x-yaml|toml|javascript|x-javascript|ecmascript|graphql|sql|x-sh|x-ndjson|jsonl)(;|$))/;
const SNIFFED = 2048;

export function contentKind(contentType: string, bytes: Uint8Array): ContentKind {
  const type = contentType.split(";")[0]?.trim().toLowerCase() ?? "";
  if (type === "text/html" || type === "application/xhtml+xml") return "html";
  if (type !== "" && type !== "application/octet-stream") return TEXT.test(type) ? "text" : "other";
  // Nothing was said, or nothing that means anything.
  const start = bytes.subarray(0, SNIFFED);
  if (start.includes(0)) return "other";
  return /^\s*<(!doctype html|html|head|body)[\s>]/i.test(new TextDecoder("latin1").decode(start)) ? "html" : "text";
}
