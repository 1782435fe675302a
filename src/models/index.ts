export { type ModelSettingsInput, readModelSettings } from "./model-settings.ts";
export { type Models, modelVariables, openModels, type ModelsOptions } from "./open-models.ts";
