import type { Json, JsonObject } from "../../../schema/index.ts";
import type { Fields } from "./fields.ts";

/** Names that only Claude Code, and programs that follow it, know. Sent to any other, they are no model at all. */
const CLAUDE_ALIASES: ReadonlySet<string> = new Set(["sonnet", "opus", "haiku", "fable"]);

export interface ModelRules {
  /** Whose models go by their bare name: `google/gemini-2.5-pro` is `gemini-2.5-pro`. */
  readonly providers: readonly string[];
  readonly takesClaudeAliases?: boolean | undefined;
}

/** The model by the name that another program knows; undefined for `inherit` and for what it cannot know. */
export function modelFor(model: string, { providers, takesClaudeAliases = false }: ModelRules): string | undefined {
  if (model === "inherit") return undefined;
  if (CLAUDE_ALIASES.has(model)) return takesClaudeAliases ? model : undefined;
  const [provider, ...rest] = model.split("/");
  if (rest.length === 0) return model;
  return provider !== undefined && providers.includes(provider) ? rest.join("/") : undefined;
}

/** A model that would not be written as it was read is kept aside. */
export function readModel(fields: Fields, rules: ModelRules): string | undefined {
  const model = fields.text("model");
  if (model !== undefined && model !== "inherit" && modelFor(model, rules) !== model) fields.keep("model", model);
  return model;
}

/** As the file that the agent came from had it, unless the agent has another one since. */
export const writeModel = (model: string, aside: JsonObject, rules: ModelRules): Json | undefined =>
  aside["model"] === model ? model : modelFor(model, rules);
