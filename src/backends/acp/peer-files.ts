// The two calls by which a peer has files read and written by us: under the policy, and without following links.
import { CadreError } from "../../errors/index.ts";
import { openConfined, replaceConfined } from "../../platform/confined-files.ts";
import { CODES, RpcError } from "./connection.ts";
import { ReadWish, WriteWish } from "./messages.ts";
import { readParams } from "./read-params.ts";
import type { PeerPlaces, Place } from "./peer-places.ts";
import type { PermitDesk } from "./permit-desk.ts";

const MAX_FILE_BYTES = 10 * 1024 * 1024;

export class PeerFiles {
  readonly #places: PeerPlaces;
  readonly #desk: PermitDesk;

  constructor(places: PeerPlaces, desk: PermitDesk) {
    this.#places = places;
    this.#desk = desk;
  }

  async read(params: unknown): Promise<{ content: string }> {
    const { path, line, limit } = readParams(ReadWish, params);
    const place = this.#places.locate(path);
    const input = { path, ...(line === undefined ? {} : { line }), ...(limit === undefined ? {} : { limit }) };
    const call = { tool: "Read", effect: "read", input, ...judged(place) } as const;
    return this.#desk.run(call, async () => {
      const text = await readAll(opened(place));
      const content = part(text, line, limit);
      return { result: { content }, output: `${Buffer.byteLength(content)} bytes` };
    });
  }

  async write(params: unknown): Promise<object> {
    const { path, content } = readParams(WriteWish, params);
    const place = this.#places.locate(path);
    const wrong = content.isWellFormed() ? undefined : "the content is not well-formed text";
    const tooLarge = Buffer.byteLength(content) > MAX_FILE_BYTES ? "the content is too large" : undefined;
    const call = {
      tool: "Write",
      effect: "write",
      input: { path, content },
      ...judged(place, wrong ?? tooLarge),
    } as const;
    const granted = typeof place === "string" ? undefined : ({ kind: "write", subject: place.shown, content } as const);
    return this.#desk.run(
      call,
      async () => {
        const { root, path: file } = opened(place);
        await replaceConfined(root, file, content, () => this.#desk.signal.throwIfAborted());
        return { result: {}, output: `${Buffer.byteLength(content)} bytes written` };
      },
      granted,
    );
  }
}

const judged = (place: Place | string, wrong?: string) =>
  typeof place === "string" ? { problem: place } : { path: place.shown, problem: wrong };

/** Only what was permitted gets here, and a place that is none is not. */
function opened(place: Place | string): Place {
  if (typeof place === "string") throw new RpcError(CODES.invalidParams, place);
  return place;
}

async function readAll({ root, path, shown }: Place): Promise<string> {
  try {
    await using file = await openConfined(root, path);
    if (file.info.size > MAX_FILE_BYTES)
      throw new RpcError(
        CODES.invalidParams,
        `${shown} has ${file.info.size} bytes; at most ${MAX_FILE_BYTES} are read`,
      );
    return await file.handle.readFile("utf8");
  } catch (error) {
    const isMissing = CadreError.isInstance(error) && error.facts["why"] === "ENOENT";
    throw isMissing ? new RpcError(CODES.notFound, error.message) : error;
  }
}

/** Lines are counted from 1. */
function part(text: string, line = 1, limit?: number): string {
  if (line <= 1 && limit === undefined) return text;
  const lines = text.split(/(?<=\n)/);
  const start = Math.max(line, 1) - 1;
  return lines.slice(start, limit === undefined ? undefined : start + limit).join("");
}
