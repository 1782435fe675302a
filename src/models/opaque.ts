// What a provider wants back unchanged, in the order in which it came. It is stored in the log and read again after a
// crash, perhaps by another version and perhaps for another model: whatever does not fit is ignored, never an error.
import * as z from "zod";
import type { Json } from "../schema/index.ts";
import { Json as JsonSchema } from "../schema/index.ts";
import type { ProviderOptions, StreamPart } from "./sdk.ts";

const Meta = z.record(z.string(), z.record(z.string(), JsonSchema));
type Meta = z.infer<typeof Meta>;

const Block = z.discriminatedUnion("type", [
  /** The text itself is in the message; this says how much of it. */
  z.object({ type: z.literal("text"), chars: z.int().nonnegative(), meta: Meta.optional() }),
  z.object({ type: z.literal("reasoning"), text: z.string(), meta: Meta.optional() }),
  z.object({ type: z.literal("call"), id: z.string(), meta: Meta.optional() }),
]);
export type OpaqueBlock = z.infer<typeof Block>;

const Opaque = z.object({ model: z.string(), blocks: z.array(Block).max(10_000) });

/** The blocks, if this model made them. */
export function readOpaque(opaque: Json | undefined, model: string): readonly OpaqueBlock[] | undefined {
  const read = opaque === undefined ? undefined : Opaque.safeParse(opaque);
  return read?.success === true && read.data.model === model ? read.data.blocks : undefined;
}

interface OpenBlock {
  readonly type: OpaqueBlock["type"];
  /** What the stream calls it: deltas come by it. */
  readonly id: string;
  text: string;
  chars: number;
  meta: Meta | undefined;
}

const BLOCK_OF = {
  "text-start": "text",
  "text-delta": "text",
  "text-end": "text",
  "reasoning-start": "reasoning",
  "reasoning-delta": "reasoning",
  "reasoning-end": "reasoning",
} as const;

const isOfBlock = (part: StreamPart): part is Extract<StreamPart, { type: keyof typeof BLOCK_OF }> =>
  Object.hasOwn(BLOCK_OF, part.type);

export interface OpaqueCollector {
  see(part: StreamPart): void;
  /** Nothing where the message alone says it all. */
  result(): Json | undefined;
}

export function collectOpaque(model: string): OpaqueCollector {
  const blocks: OpenBlock[] = [];
  const open = new Map<string, OpenBlock>();

  const block = (type: "text" | "reasoning", id: string): OpenBlock => {
    const key = `${type}:${id}`;
    const found = open.get(key);
    if (found !== undefined) return found;
    const made: OpenBlock = { type, id, text: "", chars: 0, meta: undefined };
    open.set(key, made);
    blocks.push(made);
    return made;
  };

  const grow = (type: "text" | "reasoning", id: string, delta: string, metadata: ProviderOptions | undefined) => {
    const grown = block(type, id);
    grown.chars += delta.length;
    if (type === "reasoning") grown.text += delta;
    grown.meta = merged(grown.meta, metadata);
  };

  return {
    see(part) {
      if (part.type === "tool-call") {
        const meta = merged(undefined, part.providerMetadata);
        blocks.push({ type: "call", id: part.toolCallId, text: "", chars: 0, meta });
      }
      if (!isOfBlock(part)) return;
      const type = BLOCK_OF[part.type];
      // An id may come again after its end: that is another block.
      if (part.type === "text-start" || part.type === "reasoning-start") open.delete(`${type}:${part.id}`);
      grow(type, part.id, "delta" in part ? part.delta : "", part.providerMetadata);
    },
    result() {
      if (!blocks.some(({ type, meta }) => type === "reasoning" || meta !== undefined)) return undefined;
      return { model, blocks: blocks.map(closed) };
    },
  };
}

const closed = ({ type, id, text, chars, meta }: OpenBlock): Json => {
  const rest = meta === undefined ? {} : { meta };
  if (type === "text") return { type, chars, ...rest };
  return type === "reasoning" ? { type, text, ...rest } : { type, id, ...rest };
};

/** Later parts of a block add to what earlier ones said: a signature comes last. */
function merged(meta: Meta | undefined, metadata: ProviderOptions | undefined): Meta | undefined {
  if (metadata === undefined) return meta;
  // Through JSON, because it will be stored as JSON: what does not survive it must be missing now already.
  const read = Meta.safeParse(JSON.parse(JSON.stringify(metadata)));
  if (!read.success) return meta;
  const result: Meta = { ...meta };
  for (const [namespace, values] of Object.entries(read.data)) result[namespace] = { ...result[namespace], ...values };
  return result;
}
