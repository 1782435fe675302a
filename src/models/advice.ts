import type { ModelErrorKind } from "../ports/index.ts";
import type { Endpoint } from "./endpoint.ts";

/** What the user can do about a refusal that is not the model's; `undefined` where nobody can tell. */
export function adviceFor(
  kind: ModelErrorKind,
  status: number | undefined,
  { model, key }: { readonly model: string; readonly key: Endpoint["key"] },
): string | undefined {
  if (status === 404) return `See whether ${model} is known there, or name another model: --model`;
  if (kind !== "auth" || status === 402) return undefined;
  if (key === undefined)
    return `It may want a key: name the variable that holds it in models.providers.${model.split("/")[0]}.key`;
  return status === 403
    ? `See whether the key in ${key.variable} may use ${model}.`
    : `See whether ${key.variable} holds a key that is valid there.`;
}
