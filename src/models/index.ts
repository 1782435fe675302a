export { type Models, type ModelNeeds, modelVariables, openModels, type ModelsOptions } from "./open-models.ts";
export { ModelSettings, type ModelSettingsInput } from "./model-settings.ts";
export type { ModelFacts } from "./facts.ts";
export type { Bounds } from "./watched-fetch.ts";
export type { Environment } from "./endpoint.ts";
