// What a tool answers with, before it is put into the protocol's words.
import type { CadreError } from "../errors/index.ts";
import type { JsonObject } from "../schema/index.ts";

export interface Reply {
  readonly text: string;
  /** Some hosts show their model this and not the text: so it MUST hold whatever the text holds. */
  readonly data?: JsonObject | undefined;
  readonly isError?: boolean | undefined;
}

/** Work that could not be done, as an answer that a model can act on. */
export function problemReply(error: CadreError): Reply {
  const { code, message, hint } = error;
  return {
    text: hint === undefined ? `error: ${message}` : `error: ${message}\nhint: ${hint}`,
    data: { error: { code, message, hint: hint ?? null } },
    isError: true,
  };
}
