// Where agents come from.
export type { AgentOverride } from "./agent-overrides.ts";
export { agentLayers, type ForeignFormats } from "./agent-places.ts";
export { builtInRegistry } from "./built-in-registry.ts";
export { withoutDisabled } from "./disabled-agents.ts";
export { fileRegistry } from "./file-registry.ts";
export { joinRegistries } from "./join-registries.ts";
export { memoryRegistry } from "./memory-registry.ts";
export { trustFile } from "./trust-file.ts";
