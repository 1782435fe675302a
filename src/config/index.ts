// Layered settings: where they come from, what they are, and how one is changed.
export { configuration } from "./configuration.ts";
export { type LoadedConfig, loadConfig } from "./load-config.ts";
