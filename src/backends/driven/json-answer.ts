import { Json } from "../../schema/index.ts";

const BLOCK = /```(?:json)?[^\S\n]*\n([\s\S]*?)\n[^\S\n]*```/g;

/** The JSON value that an answer is, or that its last block holds. */
export function jsonIn(answer: string): Json | undefined {
  const blocks = [...answer.matchAll(BLOCK)].map(([, inner]) => inner ?? "");
  for (const text of [answer, blocks.at(-1)]) {
    const value = text === undefined ? undefined : parse(text);
    if (value !== undefined) return value;
  }
  return undefined;
}

function parse(text: string): Json | undefined {
  try {
    return Json.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined; // prose around it, or no JSON at all
  }
}
