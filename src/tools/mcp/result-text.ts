// What a call came to, as a model reads it: texts as they are, everything else in words.
import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/client";
import { capText } from "../../domain/summaries.ts";

const MAX_KB = 1024;
const MAX_BLOCKS = 1_000;

interface ResultText {
  readonly text: string;
  readonly leftOut: string | undefined;
}

export function resultText({ content, structuredContent }: CallToolResult): ResultText {
  const blocks = content.slice(0, MAX_BLOCKS).map(blockText);
  if (content.length > MAX_BLOCKS) blocks.push(`(${content.length - MAX_BLOCKS} more parts were left out)`);
  // Servers that speak in values repeat them as text; where one does not, the value is the answer.
  const isSaid = content.some(({ type }) => type === "text" || type === "resource");
  if (!isSaid && structuredContent !== undefined) blocks.push(JSON.stringify(structuredContent));
  const { text, truncated } = capText(blocks.join("\n"), MAX_KB);
  if (!truncated) return { text, leftOut: undefined };
  return { text: `${text}\n(cut at ${MAX_KB} KB)`, leftOut: `only its first ${MAX_KB} KB were kept` };
}

function blockText(block: ContentBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "image":
    case "audio":
      return `(${block.type === "image" ? "an image" : "a sound"} of ${size(block.data)} was left out: ${block.mimeType})`;
    case "resource_link":
      return `(a link to ${block.uri}: ${block.name})`;
    case "resource": {
      const { resource } = block;
      return "text" in resource
        ? `${resource.uri}:\n${resource.text}`
        : `(${resource.uri}: ${size(resource.blob)} that are not text were left out)`;
    }
  }
}

const size = (base64: string): string => `${Math.ceil((base64.length * 3) / 4 / 1024)} kB`;
