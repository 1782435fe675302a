import type { Toolbox } from "../../ports/index.ts";
import { openConnection } from "./connection.ts";
import { httpRequest } from "./http-request.ts";
import { webFetch } from "./web-fetch.ts";
import type { WebParts } from "./web-parts.ts";
import { webSearch } from "./web-search.ts";

/** WebFetch, WebSearch and HttpRequest. */
export const webTools =
  (parts: WebParts): Toolbox =>
  async (_attempt, scope) => {
    const connection = openConnection(parts, scope);
    const nonce = () => parts.mint.token();
    return {
      tools: [webFetch(connection, nonce), await webSearch(connection, parts), httpRequest(connection, nonce)],
      [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose](),
    };
  };
