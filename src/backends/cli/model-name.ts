// Which model a CLI is told to use. It knows its own provider's only.
import type { TaskSpec } from "../../schema/index.ts";

export interface ModelNames {
  readonly provider: string;
  /** Other names of the provider. */
  readonly alsoCalled: readonly string[];
  /** Short names that the CLI itself resolves. */
  readonly aliases: readonly string[];
  /** Whole names without their provider. */
  readonly begins: RegExp;
}

export type ChosenModel =
  | { readonly kind: "named"; readonly name: string }
  /** The CLI's own choice. `instead` is what was inherited and is not its provider's. */
  | { readonly kind: "own"; readonly instead?: string | undefined }
  | { readonly kind: "foreign"; readonly name: string };

/** `resolve` gives the whole name of a short one of ours, and throws where there is none. */
export function chooseModel(
  { model, definition }: Pick<TaskSpec, "model" | "definition">,
  names: ModelNames,
  resolve: ((name: string) => string) | undefined,
): ChosenModel {
  if (model === null) return { kind: "own" };
  if (names.aliases.includes(model)) return { kind: "named", name: model };
  const name = ownName(model, names) ?? ownName(wholeName(model, resolve), names);
  if (name !== undefined) return { kind: "named", name };
  // What the agent did not ask for by name is a default, and a default of another provider is none here.
  return definition.model === "inherit" ? { kind: "own", instead: model } : { kind: "foreign", name: model };
}

/** As price lists have it: short names as they are. */
export const pricedName = ({ provider, aliases }: ModelNames, name: string): string =>
  aliases.includes(name) ? name : `${provider}/${name}`;

function ownName(model: string, { provider, alsoCalled, begins }: ModelNames): string | undefined {
  const slash = model.indexOf("/");
  if (slash === -1) return begins.test(model) ? model : undefined;
  return [provider, ...alsoCalled].includes(model.slice(0, slash)) ? model.slice(slash + 1) : undefined;
}

function wholeName(model: string, resolve: ((name: string) => string) | undefined): string {
  try {
    return resolve?.(model) ?? model;
  } catch {
    return model; // nobody knows it: said as a foreign one
  }
}
